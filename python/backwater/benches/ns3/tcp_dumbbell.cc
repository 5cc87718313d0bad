// The tcp-* benchmarks in ns-3: pairs of hosts at two learning bridges, greedy TCP flows over the link
// between these.
//
// Devices, bridges, scheduler and counters are chosen as in lan_merge.cc, for the same reasons. TCP is
// ns-3's own with its defaults (SACK, timestamps, proportional rate reduction, ten segments of initial
// window), but for what the scenario says: segments of 1448 bytes, so that an IP packet has 1500, an ACK
// for every second segment and after 40 ms at most, and buffers that never limit a window.
//
// Prints one JSON line. CPU time is the process's, around Simulator::Run alone.

#include <ns3/applications-module.h>
#include <ns3/bridge-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/simple-net-device-helper.h>
#include <ns3/traffic-control-module.h>

#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

using namespace ns3;

namespace {

constexpr uint32_t kSegment = 1448;  // payload of a 1500-byte IP packet with timestamps
constexpr uint64_t kPacket = 1500;
constexpr uint64_t kOnWire = 1538;   // with preamble 8, header 14, FCS 4, gap 12
constexpr uint16_t kPort = 9;

double CpuSeconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Ptr<Queue<Packet>> TransmitQueue(Ptr<NetDevice> device) {
    PointerValue queue;
    device->GetAttribute("TxQueue", queue);
    return queue.Get<Queue<Packet>>();
}

uint64_t PeakMemory() {
    std::ifstream status("/proc/self/status");
    std::string key;
    uint64_t kibibytes = 0;
    while (status >> key) {
        if (key == "VmHWM:") {
            status >> kibibytes;
            break;
        }
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return kibibytes * 1024;
}

NetDeviceContainer Cable(Ptr<Node> a, Ptr<Node> b, uint64_t rate, const std::string& delay, const std::string& queue) {
    SimpleNetDeviceHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate / kOnWire * kPacket)));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(queue));
    return link.Install(NodeContainer(a, b));
}

}  // namespace

int main(int argc, char** argv) {
    double duration = 60;
    uint32_t pairs = 10;
    uint64_t bottleneck = 100000000;
    std::string buffer = "250p";
    std::string controller = "TcpCubic";
    uint32_t run = 1;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("pairs", "flows", pairs);
    arguments.AddValue("bottleneck", "bit/s between the bridges", bottleneck);
    arguments.AddValue("buffer", "queue of the bottleneck", buffer);
    arguments.AddValue("controller", "TcpCubic or TcpNewReno", controller);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.Parse(argc, argv);
    RngSeedManager::SetRun(run);
    ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    Simulator::SetScheduler(scheduler);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + controller)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 26));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 26));

    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    NodeContainer senders(pairs);
    NodeContainer receivers(pairs);
    NetDeviceContainer hosts;
    NetDeviceContainer at_left;
    NetDeviceContainer at_right;
    const uint64_t access = 1000000000;
    for (uint32_t i = 0; i < pairs; ++i) {
        NetDeviceContainer one = Cable(senders.Get(i), left, access, "1ms", "100000p");
        NetDeviceContainer other = Cable(receivers.Get(i), right, access, "1ms", "100000p");
        hosts.Add(one.Get(0));
        at_left.Add(one.Get(1));
        hosts.Add(other.Get(0));
        at_right.Add(other.Get(1));
    }
    NetDeviceContainer middle = Cable(left, right, bottleneck, "8ms", buffer);
    at_left.Add(middle.Get(0));
    at_right.Add(middle.Get(1));
    BridgeHelper().Install(left, at_left);
    BridgeHelper().Install(right, at_right);

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(senders);
    stack.Install(receivers);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    Ipv4InterfaceContainer assigned = addresses.Assign(hosts);
    TrafficControlHelper().Uninstall(hosts);

    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer sinks = sink.Install(receivers);
    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < pairs; ++i) {
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(assigned.GetAddress(2 * i + 1), kPort));
        source.SetAttribute("SendSize", UintegerValue(kSegment));
        source.Install(senders.Get(i)).Start(Seconds(start->GetValue(0, 0.1)));
    }

    Simulator::Stop(Seconds(duration));
    const double before = CpuSeconds();
    Simulator::Run();
    const double cpu = CpuSeconds() - before;

    uint64_t hops = 0;
    uint64_t dropped = 0;
    for (const NetDeviceContainer& side : {hosts, at_left, at_right}) {
        for (uint32_t i = 0; i < side.GetN(); ++i) {
            Ptr<Queue<Packet>> queue = TransmitQueue(side.Get(i));
            hops += queue->GetTotalReceivedPackets() - queue->GetNPackets();
            dropped += queue->GetTotalDroppedPackets();
        }
    }
    uint64_t delivered = 0;
    for (uint32_t i = 0; i < pairs; ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    std::printf("{\"cpu_s\":%.6f,\"packet_hops\":%" PRIu64 ",\"delivered_B\":%" PRIu64
                ",\"goodput_bps\":%.3f,\"dropped_pkts\":%" PRIu64 ",\"events\":%" PRIu64
                ",\"simulated_s\":%.9g,\"rss_peak_B\":%" PRIu64 "}\n",
                cpu, hops, delivered, 8.0 * static_cast<double>(delivered) / duration, dropped,
                Simulator::GetEventCount(), duration, PeakMemory());
    Simulator::Destroy();
    return 0;
}

// The tcp-* benchmarks in ns-3: pairs of hosts at two learning bridges, greedy TCP flows over the link
// between these.
//
// Devices, bridges, scheduler and counters are chosen as in lan_merge.cc, for the same reasons. TCP is
// ns-3's own with its defaults (SACK, timestamps, proportional rate reduction, ten segments of initial
// window), but for what the scenario says: segments of 1448 bytes, so that an IP packet has 1500, an ACK
// for every second segment and after 40 ms at most, and buffers that never limit a window.
//
// bench.h has what is measured and printed.

#include <ns3/applications-module.h>
#include <ns3/bridge-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/simple-net-device-helper.h>
#include <ns3/traffic-control-module.h>

#include <string>

#include "bench.h"

using namespace ns3;

namespace {

constexpr uint32_t kSegment = 1448;  // payload of a 1500-byte IP packet with timestamps
constexpr uint64_t kPacket = 1500;
constexpr uint64_t kOnWire = 1538;   // with preamble 8, header 14, FCS 4, gap 12
constexpr uint16_t kPort = 9;

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
    bench::Prepare(run);
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

    const double cpu = bench::Run(duration);

    bench::Sent sent;
    sent.Count(hosts);
    sent.Count(at_left);
    sent.Count(at_right);
    uint64_t delivered = 0;
    for (uint32_t i = 0; i < pairs; ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    bench::Tell(cpu, sent.hops, 8.0 * static_cast<double>(delivered), duration,
                {{"delivered_B", delivered}, {"dropped_pkts", sent.dropped}});
    return 0;
}

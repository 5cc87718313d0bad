// The wifi-12-rts benchmark in ns-3: stations of 802.11b in one cell that all send to their neighbour by
// number, with RTS/CTS before every packet.
//
// What is chosen in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the
// two; constant rates; ARP caches filled before the run; no queueing discipline above the devices; an offered load
// a third above what the cell can carry, so that queues stay full and few packets are refused. Two trace
// sources are connected, of an RTS without a CTS: the other failures don't occur in a cell without hidden stations.
//
// Every frame is received at the same power, so that no frame survives a collision, as in the scenario: with
// ns-3's default path loss the nearer of two senders often does, and stations differ twofold.
//
// As the scenario says: 11 Mbit/s data, 1 Mbit/s control, long preambles, seven transmissions of either
// kind. Packets never expire in their queue.
//
// Prints one JSON line. CPU time is the process's, around Simulator::Run alone.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>
#include <ns3/wifi-module.h>

#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1300;  // UDP payload of a 1328-byte IP packet
constexpr uint32_t kPacket = 1328;
constexpr uint16_t kPort = 9;

uint64_t g_unanswered = 0;  // RTS without a CTS

void RtsFailed(Mac48Address) {
    ++g_unanswered;
}

double CpuSeconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// From the kernel's own mark for this program: getrusage would also count the program that started it.
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

}  // namespace

int main(int argc, char** argv) {
    double duration = 60;
    uint32_t count = 12;
    uint32_t run = 1;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("stations", "stations of the cell", count);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.Parse(argc, argv);
    RngSeedManager::SetRun(run);
    ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    Simulator::SetScheduler(scheduler);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(0));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("100p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(2 * duration)));

    NodeContainer stations(count);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "GridWidth", UintegerValue(4), "DeltaX",
                                  DoubleValue(1), "DeltaY", DoubleValue(1));
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stations);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-50));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("DsssRate11Mbps"),
                                 "ControlMode", StringValue("DsssRate1Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    NetDeviceContainer devices = wifi.Install(phy, mac, stations);
    for (uint32_t i = 0; i < count; ++i) {
        DynamicCast<WifiNetDevice>(devices.Get(i))
            ->GetRemoteStationManager()
            ->TraceConnectWithoutContext("MacTxRtsFailed", MakeCallback(&RtsFailed));
    }

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(stations);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer assigned = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache(assigned);  // without IPv6 the variant for all nodes crashes

    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer sinks = sink.Install(stations);
    for (uint32_t i = 0; i < count; ++i) {
        OnOffHelper source("ns3::UdpSocketFactory",
                           InetSocketAddress(assigned.GetAddress((i + 1) % count), kPort));
        source.SetAttribute("PacketSize", UintegerValue(kPayload));
        source.SetAttribute("DataRate", DataRateValue(DataRate(6000000 / count)));
        source.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1000]"));
        source.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        source.Install(stations.Get(i));
    }

    Simulator::Stop(Seconds(duration));
    const double before = CpuSeconds();
    Simulator::Run();
    const double cpu = CpuSeconds() - before;

    uint64_t delivered = 0;
    for (uint32_t i = 0; i < count; ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx() / kPayload;
    }
    std::printf("{\"cpu_s\":%.6f,\"packet_hops\":%" PRIu64 ",\"delivered_pkts\":%" PRIu64
                ",\"failed_share\":%.6f,\"goodput_bps\":%.3f,\"events\":%" PRIu64
                ",\"simulated_s\":%.9g,\"rss_peak_B\":%" PRIu64 "}\n",
                cpu, delivered, delivered,
                static_cast<double>(g_unanswered) / static_cast<double>(g_unanswered + delivered),
                8.0 * static_cast<double>(delivered * kPacket) / duration, Simulator::GetEventCount(), duration,
                PeakMemory());
    Simulator::Destroy();
    return 0;
}

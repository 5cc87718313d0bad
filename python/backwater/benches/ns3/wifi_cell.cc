// The wifi-12-rts benchmark in ns-3: stations of 802.11b in one cell that all send to their neighbour by
// number, with RTS/CTS before every packet.
//
// Choices in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the
// two; constant rates; ARP caches filled before the run; no queueing discipline above the devices; an offered load
// a third above what the cell can carry, so that queues stay full and few packets are refused. The only trace
// sources connected are those of failed exchanges.
//
// Every frame is received at the same power, so that no frame survives a collision, as in the scenario: with
// ns-3's default path loss the nearer of two senders often does, and stations differ twofold.
//
// As the scenario says: 11 Mbit/s data, 1 Mbit/s control, long preambles, seven transmissions of either
// kind. Packets never expire in their queue.
//
// bench.h has what is measured and printed.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>
#include <ns3/wifi-module.h>

#include "wifi.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1300;  // UDP payload of a 1328-byte IP packet
constexpr uint32_t kPacket = 1328;
constexpr uint16_t kPort = 9;

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
    bench::Prepare(run);
    bench::Rules(duration);

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
    bench::CountFailures(devices);

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

    const double cpu = bench::Run(duration);

    uint64_t delivered = 0;
    for (uint32_t i = 0; i < count; ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx() / kPayload;
    }
    bench::Tell(cpu, delivered, 8.0 * static_cast<double>(delivered * kPacket), duration,
                {{"delivered_pkts", delivered}, {"failed_share", bench::FailedShare(delivered)}});
    return 0;
}

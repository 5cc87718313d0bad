// The benchmarks wifi-ac-1, wifi-ac-12 and wifi-ax-50 in ns-3: stations that all hear one another and send
// A-MPDUs to one receiver, without RTS/CTS.
//
// Choices in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the
// two; constant rates; ARP caches filled before the run; no queueing discipline above the devices; an offered load
// a tenth above what the cell can carry, so that queues stay full and few packets are refused; a station that
// stays the same network's from the start (no association, no beacons).
//
// As the scenarios say: every frame is received at the same power, so no frame survives a collision; 24 Mbit/s
// for acknowledgements; a missed block acknowledgement is asked for again. Goodput counts from `settle` on, when
// every station has its block-ack agreement, which the scenarios have from the start.
//
// bench.h has what is measured and printed.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>
#include <ns3/wifi-module.h>

#include "bench.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1472;  // UDP payload of a 1500-byte IP packet
constexpr uint32_t kPacket = 1500;
constexpr uint16_t kPort = 9;

// No RTS/CTS, full queues, and packets that stay in them for the whole run.
void Rules(double duration) {
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(4692480));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("1000p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(2 * duration)));
}

}  // namespace

int main(int argc, char** argv) {
    double duration = 10;
    uint32_t count = 1;
    uint32_t run = 1;
    double settle = 5;
    double offered = 700e6;
    bool he = false;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("settle", "simulated seconds before goodput counts", settle);
    arguments.AddValue("stations", "stations that send", count);
    arguments.AddValue("offered", "load of all stations, bit/s of IP", offered);
    arguments.AddValue("he", "802.11ax with one stream and A-MPDUs of 256 packets, not 802.11ac", he);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.Parse(argc, argv);
    bench::Prepare(run);
    Rules(duration);

    NodeContainer stations(count + 1);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "GridWidth", UintegerValue(10), "DeltaX",
                                  DoubleValue(1), "DeltaY", DoubleValue(1));
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stations);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-50));
    const uint8_t streams = he ? 1 : 2;
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{42, 80, BAND_5GHZ, 0}"));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
    WifiHelper wifi;
    wifi.SetStandard(he ? WIFI_STANDARD_80211ax : WIFI_STANDARD_80211ac);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                                 StringValue(he ? "HeMcs11" : "VhtMcs9"), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    if (he) {
        wifi.ConfigHeOptions("GuardInterval", TimeValue(NanoSeconds(800)), "MpduBufferSize",
                             UintegerValue(256));
    }
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", BooleanValue(true), "BE_MaxAmpduSize",
                UintegerValue(he ? 6500631 : 1048575));
    NetDeviceContainer devices = wifi.Install(phy, mac, stations);

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(stations);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer assigned = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache(assigned);  // without IPv6 the variant for all nodes crashes

    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer sinks = sink.Install(stations.Get(0));
    const auto rate = static_cast<uint64_t>(offered * kPayload / kPacket / count);
    for (uint32_t i = 1; i <= count; ++i) {
        OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(assigned.GetAddress(0), kPort));
        source.SetAttribute("PacketSize", UintegerValue(kPayload));
        source.SetAttribute("DataRate", DataRateValue(DataRate(rate)));
        source.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1000]"));
        source.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        source.Install(stations.Get(i)).Start(MilliSeconds(i));  // their block-ack agreements don't collide
    }

    const auto sunk = DynamicCast<PacketSink>(sinks.Get(0));
    uint64_t before = 0;
    Simulator::Schedule(Seconds(settle), [&] { before = sunk->GetTotalRx() / kPayload; });
    const double cpu = bench::Run(duration);

    const uint64_t delivered = sunk->GetTotalRx() / kPayload;
    const double goodput = 8.0 * static_cast<double>((delivered - before) * kPacket) / (duration - settle);
    bench::Tell(cpu, delivered, goodput * duration, duration,
                {{"delivered_pkts", delivered}});
    return 0;
}

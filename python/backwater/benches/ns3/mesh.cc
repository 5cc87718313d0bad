// The mesh-44 benchmark in ns-3: stations of 802.11a on a plane, static routes, UDP, RTS/CTS before every packet.
//
// Reads the network from its standard input, in the units of the scenario, one item a line:
//   station X Y             at these metres; stations count from 0 in this order
//   way AT TO NEXT          what AT has for TO goes to NEXT
//   flow FROM TO RATE       IP packets of 1500 bytes, bit/s, from a random instant of the first period on
//
// The channel is that of the scenario: the same transmission power, path loss and noise, the same thresholds for
// energy and preambles, the same margin of capture. Frame errors are ns-3's own, from its tables; its propagation
// takes the time that light needs.
//
// What is chosen in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the two;
// frames weaker than its default sensitivity of -101 dBm are thrown away unread; constant rates; ARP caches
// filled before the run; no queueing discipline above the devices; routing tables that hold the routes and
// nothing else. The trace sources connected are those of failed exchanges and of packets that a device received.
//
// bench.h has what is measured and printed.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>

#include <iostream>
#include <string>
#include <vector>

#include "wifi.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1472;  // UDP payload of a 1500-byte IP packet
constexpr uint32_t kPacket = 1500;
constexpr uint16_t kPort = 9;

constexpr double kPower = 20.0;              // dBm
constexpr double kNoise = -93.5;             // dBm
constexpr double kThermal = -100.965;        // dBm: 290 K over 20 MHz
constexpr double kLossAtOneMetre = 20.046;   // dB: 140.046 at 1 km, less three decades of 40
constexpr double kExponent = 4.0;
constexpr double kDetect = -91.4;            // dBm, of energy and of preambles
constexpr double kPreamble = 2.1;            // dB over the noise
constexpr double kCapture = 10.0;            // dB

struct Way {
    uint32_t at, to, next;
};

struct Stream {
    uint32_t from, to;
    uint64_t rate;
};

struct Network {
    Ptr<ListPositionAllocator> places = CreateObject<ListPositionAllocator>();
    uint32_t stations = 0;
    std::vector<Way> ways;
    std::vector<Stream> streams;
};

Network Read() {
    Network network;
    std::string item;
    while (std::cin >> item) {
        if (item == "station") {
            double x, y;
            std::cin >> x >> y;
            network.places->Add(Vector(x, y, 0));
            ++network.stations;
        } else if (item == "way") {
            Way way;
            std::cin >> way.at >> way.to >> way.next;
            network.ways.push_back(way);
        } else if (item == "flow") {
            Stream stream;
            std::cin >> stream.from >> stream.to >> stream.rate;
            network.streams.push_back(stream);
        } else {
            NS_FATAL_ERROR("no item of a network: " << item);
        }
    }
    return network;
}

NetDeviceContainer Devices(const NodeContainer& stations) {
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel", "Exponent", DoubleValue(kExponent),
                               "ReferenceDistance", DoubleValue(1), "ReferenceLoss",
                               DoubleValue(kLossAtOneMetre));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(kPower));
    phy.Set("TxPowerEnd", DoubleValue(kPower));
    phy.Set("RxNoiseFigure", DoubleValue(kNoise - kThermal));
    phy.Set("CcaEdThreshold", DoubleValue(kDetect));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", DoubleValue(kDetect),
                                  "Threshold", DoubleValue(kPreamble));
    phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel", "Margin", DoubleValue(kCapture));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("OfdmRate12Mbps"),
                                 "ControlMode", StringValue("OfdmRate6Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, stations);
}

uint64_t g_hops = 0;

void Received(Ptr<const Packet>) {
    ++g_hops;
}

}  // namespace

int main(int argc, char** argv) {
    double duration = 20;
    uint32_t run = 1;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.Parse(argc, argv);
    bench::Prepare(run);
    bench::Rules(duration);

    const Network network = Read();
    NodeContainer stations(network.stations);
    MobilityHelper mobility;
    mobility.SetPositionAllocator(network.places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stations);
    NetDeviceContainer devices = Devices(stations);
    bench::CountFailures(devices);
    for (uint32_t i = 0; i < devices.GetN(); ++i) {
        DynamicCast<WifiNetDevice>(devices.Get(i))
            ->GetMac()
            ->TraceConnectWithoutContext("MacRx", MakeCallback(&Received));
    }

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    Ipv4StaticRoutingHelper routing;
    stack.SetRoutingHelper(routing);
    stack.Install(stations);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer assigned = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache(assigned);
    for (uint32_t i = 0; i < network.stations; ++i) {
        // The route to the subnet would deliver directly whatever has no route of its own.
        Ptr<Ipv4StaticRouting> table = routing.GetStaticRouting(stations.Get(i)->GetObject<Ipv4>());
        while (table->GetNRoutes() > 0) {
            table->RemoveRoute(0);
        }
    }
    for (const Way& way : network.ways) {
        Ptr<Ipv4StaticRouting> table = routing.GetStaticRouting(stations.Get(way.at)->GetObject<Ipv4>());
        table->AddHostRouteTo(assigned.GetAddress(way.to), assigned.GetAddress(way.next), 1);
    }

    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer sinks = sink.Install(stations);
    Ptr<UniformRandomVariable> phase = CreateObject<UniformRandomVariable>();
    for (const Stream& stream : network.streams) {
        OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(assigned.GetAddress(stream.to), kPort));
        source.SetAttribute("PacketSize", UintegerValue(kPayload));
        source.SetAttribute("DataRate", DataRateValue(DataRate(stream.rate * kPayload / kPacket)));
        source.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=100000]"));
        source.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        source.Install(stations.Get(stream.from))
            .Start(Seconds(phase->GetValue(0, 8.0 * kPacket / static_cast<double>(stream.rate))));
    }

    const double cpu = bench::Run(duration);

    uint64_t delivered = 0;
    for (uint32_t i = 0; i < network.stations; ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx() / kPayload;
    }
    bench::Tell(cpu, g_hops, 8.0 * static_cast<double>(delivered * kPacket), duration,
                {{"delivered_pkts", delivered}, {"failed_share", bench::FailedShare(g_hops)}});
    return 0;
}

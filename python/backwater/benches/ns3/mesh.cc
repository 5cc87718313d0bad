// A mesh in ns-3: stations of OFDM, static routes, UDP, RTS/CTS before every packet.
//
// Reads the network from its standard input, in the units of the scenario, one item a line, channel and mac first:
//   channel NOISE ENERGY PREAMBLE CAPTURE DELAY   three dBm, dB, microseconds
//   mac RTS DATA ANSWER      how often each is sent, 0 for no limit; answers at 6 Mbit/s (0) or at mandatory rates (1)
//   station ALL OWN OTHERS   packets that it has room for; stations count from 0 in this order
//   link FROM TO DBM         power at which TO hears FROM; who is left out hears nothing
//   rate FROM TO MBITS       of data frames
//   way AT TO NEXT           what AT has for TO goes to NEXT
//   flow FROM TO RATE        IP packets of 1500 bytes, bit/s, from a random instant of the first period on
//
// The channel is that of the scenario: received powers, delay and noise, the thresholds for energy and preambles, the margin
// of capture. Frame errors are ns-3's own, from its tables, unless --errors says otherwise.
//
// --errors names a model of frame errors, `law` the scenario's own; --floor is the power in dBm below which a frame is left
// out. What validation/wifi_mesh.py varies besides: --fixed sends all data at so many Mbit/s.
//
// Choices in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the two;
// frames weaker than the floor are thrown away unread; powers come from a table; rates are known; ARP caches
// filled before the run; no queueing discipline above the devices; routing tables that hold the routes and
// nothing else. The trace sources connected are those of failed exchanges, of packets that a device received, and of
// packets that leave a queue.
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

#include "mesh_station.h"
#include "ofdm_law.h"
#include "wifi.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1472;  // UDP payload of a 1500-byte IP packet
constexpr uint32_t kPacket = 1500;
constexpr uint16_t kPort = 9;

constexpr double kThermal = -100.965;  // dBm: 290 K over 20 MHz
constexpr double kSilence = -1000;     // dBm: between stations without a link
constexpr double kPreamble = 2.1;      // dB over the noise

struct Channel {
    double noise, energy, preamble, capture, micros;
};

struct Rate {
    uint32_t from, to, mbits;
};

struct Way {
    uint32_t at, to, next;
};

struct Stream {
    uint32_t from, to;
    uint64_t rate;
};

struct Network {
    Channel channel;
    bench::Retries retries;
    bool mandatory = false;
    std::vector<bench::Room> stations;
    std::vector<std::vector<double>> powers;
    std::vector<Rate> rates;
    std::vector<Way> ways;
    std::vector<Stream> streams;
};

Network Read(std::istream& from) {
    Network network;
    std::string item;
    while (from >> item) {
        if (item == "channel") {
            Channel& channel = network.channel;
            from >> channel.noise >> channel.energy >> channel.preamble >> channel.capture >> channel.micros;
        } else if (item == "mac") {
            from >> network.retries.rts >> network.retries.data >> network.mandatory;
        } else if (item == "station") {
            bench::Room room;
            from >> room.all >> room.own >> room.others;
            network.stations.push_back(room);
        } else if (item == "link") {
            const size_t stations = network.stations.size();
            network.powers.resize(stations, std::vector<double>(stations, kSilence));
            size_t sender, receiver;
            from >> sender >> receiver;
            from >> network.powers.at(sender).at(receiver);
        } else if (item == "rate") {
            Rate rate;
            from >> rate.from >> rate.to >> rate.mbits;
            network.rates.push_back(rate);
        } else if (item == "way") {
            Way way;
            from >> way.at >> way.to >> way.next;
            network.ways.push_back(way);
        } else if (item == "flow") {
            Stream stream;
            from >> stream.from >> stream.to >> stream.rate;
            network.streams.push_back(stream);
        } else {
            NS_FATAL_ERROR("no item of a network: " << item);
        }
        NS_ABORT_MSG_IF(from.fail(), "an item cut short: " << item);
    }
    return network;
}

NodeContainer Stations(const Network& network) {
    NodeContainer stations(network.stations.size());
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < stations.GetN(); ++i) {
        places->Add(Vector(i, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stations);
    return stations;
}

NetDeviceContainer Devices(const Network& network, const NodeContainer& stations, const std::string& errors,
                           double floor) {
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<bench::Delay>(MicroSeconds(network.channel.micros)));
    channel->SetPropagationLossModel(CreateObject<bench::Powers>(network.powers));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("RxNoiseFigure", DoubleValue(network.channel.noise - kThermal));
    phy.Set("CcaEdThreshold", DoubleValue(network.channel.energy));
    phy.Set("RxSensitivity", DoubleValue(floor));
    phy.SetErrorRateModel(errors == "law" ? "bench::Law" : "ns3::" + errors);
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi",
                                  DoubleValue(network.channel.preamble), "Threshold", DoubleValue(kPreamble));
    phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel", "Margin", DoubleValue(network.channel.capture));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("bench::LinkRates");
    WifiMacHelper mac;
    mac.SetType("bench::SharedBuffer");
    return wifi.Install(phy, mac, stations);
}

Mac48Address AddressOf(const NetDeviceContainer& devices, uint32_t station) {
    return Mac48Address::ConvertFrom(devices.Get(station)->GetAddress());
}

// Rates, retry limits, and the rates of answers.
void SetRates(const Network& network, const NetDeviceContainer& devices, uint32_t fixed) {
    const auto manager = [&](uint32_t station) {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(station));
        return DynamicCast<bench::LinkRates>(device->GetRemoteStationManager());
    };
    for (uint32_t i = 0; i < devices.GetN(); ++i) {
        manager(i)->Limit(network.retries);
        if (network.mandatory) {
            continue;
        }
        // Without a basic rate a station answers at mandatory ones, and from one that it has not met it takes these for basic ones.
        manager(i)->AddBasicMode(manager(i)->GetDefaultMode());
        for (uint32_t j = 0; j < devices.GetN(); ++j) {
            manager(i)->RecordDisassociated(AddressOf(devices, j));
        }
    }
    for (const Rate& rate : network.rates) {
        const uint32_t mbits = fixed > 0 ? fixed : rate.mbits;
        manager(rate.from)->Set(AddressOf(devices, rate.to), WifiMode("OfdmRate" + std::to_string(mbits) + "Mbps"));
    }
}

Ptr<bench::SharedBuffer> Mac(const Ptr<NetDevice>& device) {
    return DynamicCast<bench::SharedBuffer>(DynamicCast<WifiNetDevice>(device)->GetMac());
}

// Gives each station its address, its routes and its room; nothing else is known to it.
Ipv4InterfaceContainer Join(const Network& network, const NodeContainer& stations, const NetDeviceContainer& devices) {
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    Ipv4StaticRoutingHelper routing;
    stack.SetRoutingHelper(routing);
    stack.Install(stations);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer assigned = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache(assigned);
    for (uint32_t i = 0; i < stations.GetN(); ++i) {
        Mac(devices.Get(i))->Share(network.stations[i], assigned.GetAddress(i));
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
    return assigned;
}

void Send(const Network& network, const NodeContainer& stations, const Ipv4InterfaceContainer& assigned) {
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
}

uint64_t g_hops = 0;

void Received(Ptr<const Packet>) {
    ++g_hops;
}

}  // namespace

int main(int argc, char** argv) {
    double duration = 20;
    uint32_t run = 1;
    uint32_t fixed = 0;
    std::string errors = "TableBasedErrorRateModel";
    double floor = -101;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.AddValue("fixed", "so many Mbit/s on all links", fixed);
    arguments.AddValue("errors", "model of frame errors, or `law`", errors);
    arguments.AddValue("floor", "frames below so many dBm are left out", floor);
    arguments.Parse(argc, argv);
    bench::Prepare(run);
    bench::Rules(duration);
    // The MAC of a station says how much room it has.
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("1000000p"));

    const Network network = Read(std::cin);
    NodeContainer stations = Stations(network);
    NetDeviceContainer devices = Devices(network, stations, errors, floor);
    SetRates(network, devices, fixed);
    bench::CountFailures(devices);
    for (uint32_t i = 0; i < devices.GetN(); ++i) {
        Mac(devices.Get(i))->TraceConnectWithoutContext("MacRx", MakeCallback(&Received));
    }
    Ipv4InterfaceContainer assigned = Join(network, stations, devices);
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer sinks = sink.Install(stations);
    Send(network, stations, assigned);

    const double cpu = bench::Run(duration);

    uint64_t delivered = 0;
    uint64_t refused = 0;
    for (uint32_t i = 0; i < stations.GetN(); ++i) {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx() / kPayload;
        refused += Mac(devices.Get(i))->Refused();
    }
    bench::Tell(cpu, g_hops, 8.0 * static_cast<double>(delivered * kPacket), duration,
                {{"delivered_pkts", delivered}, {"refused_pkts", refused}, {"failed_share", bench::FailedShare(g_hops)}});
    return 0;
}

// The mesh-44 benchmark in ns-3: stations of 802.11a on a plane, static routes, UDP, RTS/CTS before every packet.
//
// Reads the network from its standard input, in the units of the scenario, one item a line:
//   station X Y             at these metres; stations count from 0 in this order
//   way AT TO NEXT          what AT has for TO goes to NEXT
//   flow FROM TO RATE       IP packets of 1500 bytes, bit/s, from a random instant of the first period on
//
// The channel is that of the scenario: the same transmission power, path loss and noise, the same thresholds for
// energy and preambles, the same margin of capture. Each link has the rate that the scenario chooses for it: the fastest
// up to 12 Mbit/s whose threshold its SNR reaches. Frame errors are ns-3's own, from its tables; its propagation
// takes the time that light needs.
//
// What validation/wifi_mesh.py varies: --fixed sends all data at 12 Mbit/s; --errors names a model of frame errors, `law` the
// scenario's own; --floor is the power in dBm below which a frame is left out; --power, --noise, --energy and --preamble
// are the transmission power, the noise and the thresholds of energy and of preambles, in dBm.
//
// What is chosen in ns-3's favour: the priority-queue scheduler; Yans' channel and PHY, the cheaper of the two;
// frames weaker than its default sensitivity of -101 dBm are thrown away unread; rates are known; ARP caches
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

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "wifi.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1472;  // UDP payload of a 1500-byte IP packet
constexpr uint32_t kPacket = 1500;
constexpr uint16_t kPort = 9;

constexpr double kThermal = -100.965;        // dBm: 290 K over 20 MHz
constexpr double kLossAtOneMetre = 20.046;   // dB: 140.046 at 1 km, less three decades of 40
constexpr double kExponent = 4.0;
constexpr double kPreamble = 2.1;            // dB over the noise
constexpr double kCapture = 10.0;            // dB

// What the radio of all stations does, in dBm.
struct Levels {
    double power = 20.0;
    double noise = -93.5;
    double energy = -91.4;    // from which the medium is busy
    double preamble = -91.4;  // from which a preamble is recognised
    double floor = -101;      // below which a frame is left out
};

// A rate of data frames, and the SNR in dB at which one frame of 1500 bytes in a hundred fails.
struct Rung {
    const char* mode;
    double threshold;
};
constexpr Rung kRungs[] = {{"OfdmRate12Mbps", 5.1}, {"OfdmRate9Mbps", 4.8}, {"OfdmRate6Mbps", 2.1}};

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

// Sends RTS at 6 Mbit/s and data to each neighbour at the rate that was set for it.
class LinkRates : public WifiRemoteStationManager {
  public:
    static TypeId GetTypeId() {
        static TypeId id =
            TypeId("bench::LinkRates").SetParent<WifiRemoteStationManager>().AddConstructor<LinkRates>();
        return id;
    }

    void Set(Mac48Address to, WifiMode mode) {
        m_modes[to] = mode;
    }

  private:
    WifiRemoteStation* DoCreateStation() const override {
        return new WifiRemoteStation();
    }
    WifiTxVector DoGetDataTxVector(WifiRemoteStation* station, uint16_t) override {
        const auto found = m_modes.find(station->m_state->m_address);
        return Vector(found == m_modes.end() ? GetDefaultMode() : found->second);
    }
    WifiTxVector DoGetRtsTxVector(WifiRemoteStation*) override {
        return Vector(GetDefaultMode());
    }
    void DoReportRxOk(WifiRemoteStation*, double, WifiMode) override {}
    void DoReportRtsFailed(WifiRemoteStation*) override {}
    void DoReportDataFailed(WifiRemoteStation*) override {}
    void DoReportRtsOk(WifiRemoteStation*, double, WifiMode, double) override {}
    void DoReportDataOk(WifiRemoteStation*, double, WifiMode, double, uint16_t, uint8_t) override {}
    void DoReportFinalRtsFailed(WifiRemoteStation*) override {}
    void DoReportFinalDataFailed(WifiRemoteStation*) override {}

    WifiTxVector Vector(WifiMode mode) {
        WifiTxVector vector;
        vector.SetMode(mode);
        vector.SetPreambleType(WIFI_PREAMBLE_LONG);
        vector.SetChannelWidth(20);
        vector.SetTxPowerLevel(GetDefaultTxPowerLevel());
        return vector;
    }

    std::map<Mac48Address, WifiMode> m_modes;
};

NS_OBJECT_ENSURE_REGISTERED(LinkRates);

// The frame errors of the scenario (crates/sim/src/medium/wifi/errors.rs) for BPSK and QPSK at rate 1/2.
class Law : public ErrorRateModel {
  public:
    static TypeId GetTypeId() {
        static TypeId id = TypeId("bench::Law").SetParent<ErrorRateModel>().AddConstructor<Law>();
        return id;
    }

  private:
    // Natural logarithm of a bit's chance to be right: the union bound with `bits` in a symbol.
    static double LogRight(double bits, double sinr) {
        constexpr double spectrum[] = {36, 211, 1404, 11633, 77433, 502690, 3322763, 21292910, 134365911};
        const double raw = 0.5 * std::erfc(std::sqrt(sinr / bits));
        const double step = 4 * raw * (1 - raw);
        double power = std::pow(step, 5);
        double sum = 0;
        for (double weight : spectrum) {
            sum += weight * power;
            power *= step;
        }
        return std::log1p(-std::min(sum / 2, 1.0));
    }

    // SINR at which one frame of 12,000 bits in a hundred fails.
    static double Unshifted(double bits) {
        double low = 1e-4, high = 1e8;
        for (int i = 0; i < 100; ++i) {
            const double middle = std::sqrt(low * high);
            (12000 * LogRight(bits, middle) < std::log(0.99) ? low : high) = middle;
        }
        return high;
    }

    double DoGetChunkSuccessRate(WifiMode mode, const WifiTxVector&, double snr, uint64_t bits, uint8_t,
                                 WifiPpduField, uint16_t) const override {
        static const double shifts[] = {Unshifted(1) / std::pow(10, 0.21), Unshifted(2) / std::pow(10, 0.51)};
        const int rung = mode == WifiMode("OfdmRate12Mbps");
        return std::exp(static_cast<double>(bits) * LogRight(1 + rung, snr * shifts[rung]));
    }
};

NS_OBJECT_ENSURE_REGISTERED(Law);

NetDeviceContainer Devices(const NodeContainer& stations, const std::string& errors, const Levels& levels) {
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel", "Exponent", DoubleValue(kExponent),
                               "ReferenceDistance", DoubleValue(1), "ReferenceLoss",
                               DoubleValue(kLossAtOneMetre));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(levels.power));
    phy.Set("TxPowerEnd", DoubleValue(levels.power));
    phy.Set("RxNoiseFigure", DoubleValue(levels.noise - kThermal));
    phy.Set("CcaEdThreshold", DoubleValue(levels.energy));
    phy.Set("RxSensitivity", DoubleValue(levels.floor));
    phy.SetErrorRateModel(errors == "law" ? "bench::Law" : "ns3::" + errors);
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", DoubleValue(levels.preamble),
                                  "Threshold", DoubleValue(kPreamble));
    phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel", "Margin", DoubleValue(kCapture));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("bench::LinkRates");
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, stations);
}

// The rate of each link that the ways use.
void SetRates(const Network& network, const NodeContainer& stations, const NetDeviceContainer& devices,
              const Levels& levels, bool fixed) {
    for (const Way& way : network.ways) {
        const double metres = stations.Get(way.at)->GetObject<MobilityModel>()->GetDistanceFrom(
            stations.Get(way.next)->GetObject<MobilityModel>());
        const double snr = levels.power - kLossAtOneMetre - 10 * kExponent * std::log10(metres) - levels.noise;
        const Rung* rung = kRungs;
        while (!fixed && snr < rung->threshold && rung + 1 != std::end(kRungs)) {
            ++rung;
        }
        auto manager = DynamicCast<WifiNetDevice>(devices.Get(way.at))->GetRemoteStationManager();
        DynamicCast<LinkRates>(manager)->Set(Mac48Address::ConvertFrom(devices.Get(way.next)->GetAddress()),
                                             WifiMode(rung->mode));
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
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("run", "number of the random substream", run);
    bool fixed = false;
    std::string errors = "TableBasedErrorRateModel";
    Levels levels;
    arguments.AddValue("fixed", "12 Mbit/s on all links", fixed);
    arguments.AddValue("errors", "model of frame errors, or `law`", errors);
    arguments.AddValue("floor", "frames below so many dBm are left out", levels.floor);
    arguments.AddValue("power", "transmission power in dBm", levels.power);
    arguments.AddValue("noise", "noise in dBm", levels.noise);
    arguments.AddValue("energy", "threshold of energy in dBm", levels.energy);
    arguments.AddValue("preamble", "threshold of preambles in dBm", levels.preamble);
    arguments.Parse(argc, argv);
    bench::Prepare(run);
    bench::Rules(duration);

    const Network network = Read();
    NodeContainer stations(network.stations);
    MobilityHelper mobility;
    mobility.SetPositionAllocator(network.places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stations);
    NetDeviceContainer devices = Devices(stations, errors, levels);
    SetRates(network, stations, devices, levels, fixed);
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

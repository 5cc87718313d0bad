// The lan-merge benchmark in ns-3: three 10 Mbit/s sources, one learning bridge, one 10 Mbit/s sink.
//
// Choices in ns-3's favour, each measured against its alternatives (README.md has the figures):
// - SimpleNetDevice carries the frames. BridgeNetDevice needs a device with SendFrom, which
//   PointToPointNetDevice hasn't; CsmaNetDevice costs a quarter more because it senses the carrier.
// - The middle node is a bridge; an IP router behind PointToPointNetDevice costs two fifths more.
// - The priority-queue scheduler; the queueing discipline above each device is removed; no trace
//   source is connected: hops are read from the counters that every queue keeps anyway.
// - Devices carry a 1500-byte packet in the time that Ethernet needs for it with preamble, header,
//   FCS and gap (1538 bytes), because SimpleNetDevice puts nothing of that on the wire.
//
// bench.h has what is measured and printed.

#include <ns3/applications-module.h>
#include <ns3/bridge-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/simple-net-device-helper.h>
#include <ns3/traffic-control-module.h>

#include "bench.h"

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1472;   // UDP payload of a 1500-byte IP packet
constexpr uint32_t kPacket = 1500;
constexpr uint32_t kOnWire = 1538;    // with preamble 8, header 14, FCS 4, gap 12
constexpr uint64_t kLine = 10000000;  // bit/s
constexpr uint16_t kPort = 9;
constexpr int kSources = 3;

}  // namespace

int main(int argc, char** argv) {
    double duration = 600;
    uint32_t run = 1;
    CommandLine arguments;
    arguments.AddValue("duration", "simulated seconds", duration);
    arguments.AddValue("run", "number of the random substream", run);
    arguments.Parse(argc, argv);
    bench::Prepare(run);

    NodeContainer hosts(kSources + 1);  // the last is the sink
    Ptr<Node> bridge = CreateObject<Node>();
    SimpleNetDeviceHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(kLine * kPacket / kOnWire)));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100p"));
    NetDeviceContainer ends;
    NetDeviceContainer ports;
    for (uint32_t host = 0; host < hosts.GetN(); ++host) {
        NetDeviceContainer pair = link.Install(NodeContainer(hosts.Get(host), bridge));
        ends.Add(pair.Get(0));
        ports.Add(pair.Get(1));
    }
    BridgeHelper().Install(bridge, ports);

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4Address sink = addresses.Assign(ends).GetAddress(kSources);
    TrafficControlHelper().Uninstall(ends);

    PacketSinkHelper receiver("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    ApplicationContainer received = receiver.Install(hosts.Get(kSources));
    OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(sink, kPort));
    source.SetAttribute("PacketSize", UintegerValue(kPayload));
    source.SetAttribute("DataRate", DataRateValue(DataRate(kLine * kPayload / kOnWire)));
    source.SetAttribute("OnTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.1]"));
    source.SetAttribute("OffTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.3]"));
    for (int host = 0; host < kSources; ++host) {
        source.Install(hosts.Get(host));
    }

    const double cpu = bench::Run(duration);

    bench::Sent sent;
    sent.Count(ends);
    sent.Count(ports);
    const uint64_t delivered = DynamicCast<PacketSink>(received.Get(0))->GetTotalRx() / kPayload;
    bench::Tell(cpu, sent.hops, 8.0 * static_cast<double>(delivered * kPacket), duration,
                {{"delivered_pkts", delivered}, {"dropped_pkts", sent.dropped}});
    return 0;
}

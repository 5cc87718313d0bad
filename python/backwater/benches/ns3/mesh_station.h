// Stations of a mesh where they differ from ns-3's own: rates by link, retry limits by frame, shares of a buffer; and a
// channel whose powers and delay are told.

#ifndef BACKWATER_MESH_STATION_H
#define BACKWATER_MESH_STATION_H

#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/wifi-module.h>

#include <map>
#include <vector>

namespace bench {

// A station's number is its place on the x axis.
inline size_t Number(const ns3::Ptr<ns3::MobilityModel>& station) {
    return static_cast<size_t>(station->GetPosition().x);
}

// Powers in dBm by sender and receiver, whatever is sent with.
class Powers : public ns3::PropagationLossModel {
  public:
    explicit Powers(std::vector<std::vector<double>> dbm) : m_dbm(std::move(dbm)) {}

  private:
    double DoCalcRxPower(double, ns3::Ptr<ns3::MobilityModel> from, ns3::Ptr<ns3::MobilityModel> to) const override {
        return m_dbm[Number(from)][Number(to)];
    }
    int64_t DoAssignStreams(int64_t) override {
        return 0;
    }

    std::vector<std::vector<double>> m_dbm;
};

// The same delay between all.
class Delay : public ns3::PropagationDelayModel {
  public:
    explicit Delay(ns3::Time delay) : m_delay(delay) {}

    ns3::Time GetDelay(ns3::Ptr<ns3::MobilityModel>, ns3::Ptr<ns3::MobilityModel>) const override {
        return m_delay;
    }

  private:
    int64_t DoAssignStreams(int64_t) override {
        return 0;
    }

    ns3::Time m_delay;
};

// How often a frame is sent: its RTS, and its data after a CTS; 0 for no limit.
struct Retries {
    uint32_t rts = 0;
    uint32_t data = 0;
};

// Sends RTS at 6 Mbit/s and data to each neighbour at the rate that was set for it. ns-3's own count of a frame longer than
// its RTS threshold leaves out the RTS that failed; this one counts both.
class LinkRates : public ns3::WifiRemoteStationManager {
  public:
    static ns3::TypeId GetTypeId() {
        static ns3::TypeId id = ns3::TypeId("bench::LinkRates")
                                    .SetParent<ns3::WifiRemoteStationManager>()
                                    .AddConstructor<LinkRates>();
        return id;
    }

    void Set(ns3::Mac48Address to, ns3::WifiMode mode) {
        m_modes[to] = mode;
    }
    void Limit(const Retries& most) {
        m_most = most;
    }

  private:
    ns3::WifiRemoteStation* DoCreateStation() const override {
        return new ns3::WifiRemoteStation();
    }
    ns3::WifiTxVector DoGetDataTxVector(ns3::WifiRemoteStation* station, uint16_t) override {
        const auto found = m_modes.find(station->m_state->m_address);
        return Vector(found == m_modes.end() ? GetDefaultMode() : found->second);
    }
    ns3::WifiTxVector DoGetRtsTxVector(ns3::WifiRemoteStation*) override {
        return Vector(GetDefaultMode());
    }
    bool DoNeedRetransmission(ns3::WifiRemoteStation*, ns3::Ptr<const ns3::Packet>, bool) override {
        return (m_most.rts == 0 || m_tried.rts < m_most.rts) && (m_most.data == 0 || m_tried.data < m_most.data);
    }
    void DoReportRtsFailed(ns3::WifiRemoteStation*) override {
        ++m_tried.rts;
    }
    void DoReportDataFailed(ns3::WifiRemoteStation*) override {
        ++m_tried.data;
    }
    void DoReportDataOk(ns3::WifiRemoteStation*, double, ns3::WifiMode, double, uint16_t, uint8_t) override {
        m_tried = {};
    }
    void DoReportFinalRtsFailed(ns3::WifiRemoteStation*) override {
        m_tried = {};
    }
    void DoReportFinalDataFailed(ns3::WifiRemoteStation*) override {
        m_tried = {};
    }
    void DoReportRxOk(ns3::WifiRemoteStation*, double, ns3::WifiMode) override {}
    void DoReportRtsOk(ns3::WifiRemoteStation*, double, ns3::WifiMode, double) override {}

    ns3::WifiTxVector Vector(ns3::WifiMode mode) {
        ns3::WifiTxVector vector;
        vector.SetMode(mode);
        vector.SetPreambleType(ns3::WIFI_PREAMBLE_LONG);
        vector.SetChannelWidth(20);
        vector.SetTxPowerLevel(GetDefaultTxPowerLevel());
        return vector;
    }

    std::map<ns3::Mac48Address, ns3::WifiMode> m_modes;
    Retries m_most;
    // Of the frame at the head of the only queue.
    Retries m_tried;
};

NS_OBJECT_ENSURE_REGISTERED(LinkRates);

// How many packets a station holds: in all, of its own, and of others.
struct Room {
    uint32_t all = 0;
    uint32_t own = 0;
    uint32_t others = 0;
};

// Refuses packets that the room of their kind has no place for. A packet holds its place until its frame is done with.
class SharedBuffer : public ns3::AdhocWifiMac {
  public:
    static ns3::TypeId GetTypeId() {
        static ns3::TypeId id =
            ns3::TypeId("bench::SharedBuffer").SetParent<ns3::AdhocWifiMac>().AddConstructor<SharedBuffer>();
        return id;
    }

    void Share(const Room& room, ns3::Ipv4Address self) {
        m_room = room;
        m_self = self;
        GetTxop()->GetWifiMacQueue()->TraceConnectWithoutContext(
            "Dequeue", ns3::MakeCallback(&SharedBuffer::Leaves, this));
    }

    void Enqueue(ns3::Ptr<ns3::Packet> packet, ns3::Mac48Address to) override {
        const bool own = IsOwn(packet);
        const uint32_t held = m_own + m_others;
        if (held >= m_room.all || (own ? m_own >= m_room.own : m_others >= m_room.others)) {
            ++m_refused;
            return;
        }
        ++(own ? m_own : m_others);
        AdhocWifiMac::Enqueue(packet, to);
        NS_ABORT_MSG_UNLESS(m_own + m_others == GetTxop()->GetWifiMacQueue()->GetNPackets(),
                            "a packet came or left unseen");
    }

    uint64_t Refused() const {
        return m_refused;
    }

  private:
    // Behind the 8 bytes of LLC and SNAP the IP header has its source at 12.
    bool IsOwn(const ns3::Ptr<const ns3::Packet>& packet) const {
        uint8_t bytes[24];
        packet->CopyData(bytes, sizeof bytes);
        return ns3::Ipv4Address::Deserialize(bytes + 20) == m_self;
    }
    void Leaves(ns3::Ptr<const ns3::WifiMpdu> frame) {
        --(IsOwn(frame->GetPacket()) ? m_own : m_others);
    }

    Room m_room;
    ns3::Ipv4Address m_self;
    uint32_t m_own = 0;
    uint32_t m_others = 0;
    uint64_t m_refused = 0;
};

NS_OBJECT_ENSURE_REGISTERED(SharedBuffer);

}  // namespace bench

#endif

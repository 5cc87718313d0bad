// The common part of the programs with 802.11 devices.

#ifndef BACKWATER_WIFI_H
#define BACKWATER_WIFI_H

#include <ns3/wifi-module.h>

#include "bench.h"

namespace bench {

// Exchanges that got no answer.
inline uint64_t g_failed = 0;

inline void Failed(ns3::Mac48Address) {
    ++g_failed;
}

// Every frame begins with RTS, is sent seven times at most, and
// never expires in its queue of a hundred packets.
inline void Rules(double duration) {
    using namespace ns3;
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(0));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("100p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(2 * duration)));
}

// Counts RTS without a CTS and data without an ACK.
inline void CountFailures(const ns3::NetDeviceContainer& devices) {
    for (uint32_t i = 0; i < devices.GetN(); ++i) {
        auto manager = ns3::DynamicCast<ns3::WifiNetDevice>(devices.Get(i))->GetRemoteStationManager();
        manager->TraceConnectWithoutContext("MacTxRtsFailed", ns3::MakeCallback(&Failed));
        manager->TraceConnectWithoutContext("MacTxDataFailed", ns3::MakeCallback(&Failed));
    }
}

// Of the exchanges, so many of which carried their packet, the share that failed.
inline double FailedShare(uint64_t carried) {
    const double failed = static_cast<double>(g_failed);
    return failed / (failed + static_cast<double>(carried));
}

}  // namespace bench

#endif

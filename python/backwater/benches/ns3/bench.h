// The common part of the programs of this folder: it runs on the cheapest scheduler, measures the process's CPU
// time around Simulator::Run alone, and prints one JSON line.

#ifndef BACKWATER_BENCH_H
#define BACKWATER_BENCH_H

#include <ns3/core-module.h>
#include <ns3/network-module.h>

#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// The scheduler that was the cheapest by some 3 %, and the number of the random substream.
inline void Prepare(uint32_t run) {
    ns3::RngSeedManager::SetRun(run);
    ns3::ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    ns3::Simulator::SetScheduler(scheduler);
}

inline double CpuSeconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// From the kernel's own mark for this program: getrusage would also count the program that started it.
inline uint64_t PeakMemory() {
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

// Simulates so many seconds and returns the CPU seconds that it took.
inline double Run(double duration) {
    ns3::Simulator::Stop(ns3::Seconds(duration));
    const double before = CpuSeconds();
    ns3::Simulator::Run();
    return CpuSeconds() - before;
}

inline ns3::Ptr<ns3::Queue<ns3::Packet>> TransmitQueue(ns3::Ptr<ns3::NetDevice> device) {
    ns3::PointerValue queue;
    device->GetAttribute("TxQueue", queue);
    return queue.Get<ns3::Queue<ns3::Packet>>();
}

// Frames that left the queues of these devices, and frames that they refused.
struct Sent {
    uint64_t hops = 0;
    uint64_t dropped = 0;

    void Count(const ns3::NetDeviceContainer& devices) {
        for (uint32_t i = 0; i < devices.GetN(); ++i) {
            ns3::Ptr<ns3::Queue<ns3::Packet>> queue = TransmitQueue(devices.Get(i));
            hops += queue->GetTotalReceivedPackets() - queue->GetNPackets();
            dropped += queue->GetTotalDroppedPackets();
        }
    }
};

// Ends the simulation and prints its result: what every program tells, and what only this one does.
inline void Tell(double cpu, uint64_t hops, double bits, double duration,
                 const std::vector<std::pair<const char*, double>>& more) {
    std::printf("{\"cpu_s\":%.6f,\"packet_hops\":%" PRIu64 ",\"goodput_bps\":%.3f,\"events\":%" PRIu64
                ",\"simulated_s\":%.9g,\"rss_peak_B\":%" PRIu64,
                cpu, hops, bits / duration, ns3::Simulator::GetEventCount(), duration, PeakMemory());
    for (const auto& [key, value] : more) {
        std::printf(",\"%s\":%.9g", key, value);
    }
    std::printf("}\n");
    ns3::Simulator::Destroy();
}

}  // namespace bench

#endif

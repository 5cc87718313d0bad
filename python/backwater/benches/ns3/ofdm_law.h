// Frame errors of OFDM as the scenario has them (crates/sim/src/medium/wifi/errors.rs), for all eight rates.

#ifndef BACKWATER_OFDM_LAW_H
#define BACKWATER_OFDM_LAW_H

#include <ns3/wifi-module.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {

// A rate: its points and convolutional code, and the SINR in dB at which one frame of 1500 bytes in a hundred fails.
class Rung {
  public:
    Rung(double points, double period, int free, int step, std::vector<double> spectrum, double threshold)
        : m_points(points), m_period(period), m_free(free), m_step(step), m_spectrum(std::move(spectrum)) {
        m_shift = Where(std::log(0.99) / 12000) / std::pow(10, threshold / 10);
        m_clear = Where(-1e-15);
    }

    // Natural logarithm of a bit's chance to be right at this SINR; nothing fails that fails with less than 1e-15.
    double LogRight(double sinr) const {
        const double shifted = sinr * m_shift;
        return shifted >= m_clear ? 0 : Bound(shifted);
    }

  private:
    // The same without shift: the union bound under hard decisions.
    double Bound(double sinr) const {
        const double share = m_points == 2 || m_points == 4 ? 0.5 : m_points == 16 ? 3.0 / 8 : 7.0 / 24;
        const double scale = m_points == 2 ? 1 : m_points == 4 ? 2 : m_points == 16 ? 10 : 42;
        const double raw = share * std::erfc(std::sqrt(sinr / scale));
        const double distance = std::sqrt(4 * raw * (1 - raw));
        const double step = m_step == 1 ? distance : distance * distance;
        double power = std::pow(distance, m_free);
        double sum = 0;
        for (double weight : m_spectrum) {
            sum += weight * power;
            power *= step;
        }
        return std::log1p(-std::min(sum / (2 * m_period), 1.0));
    }

    // The SINR from which a bit is right with no less than this logarithm of its chance.
    double Where(double wanted) const {
        double low = 1e-4, high = 1e8;
        for (int i = 0; i < 100; ++i) {
            const double middle = std::sqrt(low * high);
            (Bound(middle) < wanted ? low : high) = middle;
        }
        return high;
    }

    double m_points, m_period;
    int m_free, m_step;
    std::vector<double> m_spectrum;
    double m_shift = 1;
    double m_clear = 1e8;
};

class Law : public ns3::ErrorRateModel {
  public:
    static ns3::TypeId GetTypeId() {
        static ns3::TypeId id =
            ns3::TypeId("bench::Law").SetParent<ns3::ErrorRateModel>().AddConstructor<Law>();
        return id;
    }

  private:
    static const Rung& Of(uint64_t mbits) {
        static const std::vector<double> half = {36,     211,     1404,     11633,    77433,
                                                 502690, 3322763, 21292910, 134365911};
        static const std::vector<double> twoThirds = {3,     70,     285,    1276,    6160,
                                                      27128, 117019, 498860, 2103891, 8784123};
        static const std::vector<double> threeQuarters = {42,     201,     1492,     10469,    62935,
                                                          379644, 2253373, 13073811, 75152755, 428005675};
        static const Rung six(2, 1, 10, 2, half, 2.1), nine(2, 3, 5, 1, threeQuarters, 4.8);
        static const Rung twelve(4, 1, 10, 2, half, 5.1), eighteen(4, 3, 5, 1, threeQuarters, 7.8);
        static const Rung twentyFour(16, 1, 10, 2, half, 11.7), thirtySix(16, 3, 5, 1, threeQuarters, 14.6);
        static const Rung fortyEight(64, 2, 6, 1, twoThirds, 19.4), fiftyFour(64, 3, 5, 1, threeQuarters, 20.7);
        switch (mbits) {
        case 6: return six;
        case 9: return nine;
        case 12: return twelve;
        case 18: return eighteen;
        case 24: return twentyFour;
        case 36: return thirtySix;
        case 48: return fortyEight;
        case 54: return fiftyFour;
        default: NS_FATAL_ERROR("no rate of OFDM at 20 MHz: " << mbits);
        }
    }

    double DoGetChunkSuccessRate(ns3::WifiMode mode, const ns3::WifiTxVector&, double snr, uint64_t bits, uint8_t,
                                 ns3::WifiPpduField, uint16_t) const override {
        const double right = Of(mode.GetDataRate(20) / 1000000).LogRight(snr);
        return right == 0 ? 1 : std::exp(static_cast<double>(bits) * right);
    }
};

NS_OBJECT_ENSURE_REGISTERED(Law);

}  // namespace bench

#endif

#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace app {

namespace {

constexpr int cells_wide = 28;
constexpr int cells_high = 6;
constexpr int dots_wide = 2 * cells_wide;  // a braille sign is two dots wide and four high
constexpr int dots_high = 4 * cells_high;

struct Point {
  double x;
  double y;
};
using Curve = std::vector<Point>;

// The dots of a braille sign are the bits of its place after U+2800.
std::string braille(unsigned bits) {
  const unsigned sign = 0x2800U + bits;
  return {static_cast<char>(0xE0U | (sign >> 12U)), static_cast<char>(0x80U | ((sign >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (sign & 0x3FU))};
}

// Dots, from the upper left corner.
class Canvas {
 public:
  void draw_line(Point from, Point to) {
    const double steps = std::max({1.0, std::abs(to.x - from.x), std::abs(to.y - from.y)});
    for (double step = 0; step <= steps; ++step)
      set(static_cast<int>(std::lround(from.x + (to.x - from.x) * step / steps)),
          static_cast<int>(std::lround(from.y + (to.y - from.y) * step / steps)));
  }
  [[nodiscard]] std::string row(int cell) const {
    std::string text;
    for (int column = 0; column < cells_wide; ++column) text += braille(cells_[place(cell, column)]);
    return text;
  }

 private:
  static std::size_t place(int row, int column) {
    return static_cast<std::size_t>(row) * cells_wide + static_cast<std::size_t>(column);
  }
  void set(int x, int y) {
    static constexpr std::array<unsigned, 8> bits{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    cells_[place(y / 4, x / 2)] |=
        bits[static_cast<std::size_t>(y) % 4 * 2 + static_cast<std::size_t>(x) % 2];
  }
  std::array<unsigned, static_cast<std::size_t>(cells_wide* cells_high)> cells_{};
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // 0 at the low end, 1 at the high one.
  [[nodiscard]] double place(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// Lines of text: the title, the curves with their range, the axis.
std::vector<std::string> panel(std::string_view title, const std::vector<Curve>& curves) {
  Range x;
  Range y;
  for (const Curve& curve : curves)
    for (const Point& point : curve) {
      x.add(point.x);
      y.add(point.y);
    }
  const bool logarithmic = y.low > 0;
  const auto scaled = [&](double value) { return logarithmic ? std::log(value) : value; };
  const Range rise{scaled(y.low), scaled(y.high)};
  const auto dot = [&](const Point& point) {
    return Point{x.place(point.x) * (dots_wide - 1), (1 - rise.place(scaled(point.y))) * (dots_high - 1)};
  };
  Canvas canvas;
  for (const Curve& curve : curves)
    for (std::size_t i = 0; i < curve.size(); ++i)
      canvas.draw_line(dot(curve[i == 0 ? 0 : i - 1]), dot(curve[i]));

  std::vector<std::string> lines{fmt::format("{:>8}  {:<{}}", "", title, cells_wide)};
  for (int cell = 0; cell < cells_high; ++cell) {
    const bool first = cell == 0;
    const bool labelled = first || cell == cells_high - 1;
    const std::string label = labelled ? fmt::format("{:.3g}", first ? y.high : y.low) : "";
    lines.push_back(fmt::format("{:>8} {}{}", label, labelled ? "┤" : "│", canvas.row(cell)));
  }
  std::string axis;
  for (int column = 0; column < cells_wide; ++column) axis += "─";
  lines.push_back(fmt::format("{:>8} └{}", "", axis));
  lines.push_back(fmt::format("{:>8}  1{:>{}}", "", fmt::format("{:.0f} sweeps", x.high), cells_wide - 1));
  return lines;
}

std::vector<Curve> curves_of(const std::vector<strata::TrainingResult>& members,
                             double strata::SweepRecord::*measure) {
  std::vector<Curve> curves;
  for (const strata::TrainingResult& member : members) {
    Curve& curve = curves.emplace_back();
    for (const strata::SweepRecord& sweep : member.history)
      if (std::isfinite(sweep.*measure))
        curve.push_back({static_cast<double>(sweep.sweep + 1), sweep.*measure});
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.size() < 2; });
  return curves;
}

}  // namespace

std::string loss_plot(const std::vector<strata::TrainingResult>& members) {
  std::vector<std::vector<std::string>> panels;
  if (const auto curves = curves_of(members, &strata::SweepRecord::value); !curves.empty())
    panels.push_back(panel("objective", curves));
  if (const auto curves = curves_of(members, &strata::SweepRecord::validation_loss); !curves.empty())
    panels.push_back(panel("validation error", curves));
  if (panels.empty()) return "";
  std::string text;
  for (std::size_t line = 0; line < panels.front().size(); ++line) {
    for (const auto& one : panels) text += one[line];
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  return text;
}

}  // namespace app

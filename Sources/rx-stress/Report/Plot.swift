import Glibc

/// A line plot as inline SVG: one or two series over time.
struct Plot {
    struct Series {
        let name: String
        /// A class in the page's style sheet.
        let style: String
        let points: [(x: Double, y: Double)]
    }

    struct Band {
        let name: String
        let from: Double
    }

    enum Scale { case linear, logarithmic }

    let title: String
    let series: [Series]
    var scale = Scale.linear
    /// The marks of a linear axis are round multiples of this unit: 1, or 2^20 for bytes.
    var unit = 1.0
    let label: (Double) -> String
    var bands: [Band] = []
    var size = Size.small

    enum Size {
        case small, wide

        var width: Double { self == .small ? 360 : 1140 }
    }

    private static let height = 150.0
    private static let nameWidth = 13.0
    private static let left = 58.0, right = 8.0, top = 12.0, bottom = 22.0

    var svg: String {
        let points = series.flatMap(\.points)
        guard let least = points.map(\.y).min(), let most = points.map(\.y).max(), points.count > 1 else {
            return "<figure><figcaption>\(title)</figcaption><p class=none>too short to plot</p></figure>"
        }
        let from = points.map(\.x).min() ?? 0, to = max(points.map(\.x).max() ?? 1, from + 0.001)
        let ticks = ticks(least, most)
        let low = position(ticks[0]), high = position(ticks[ticks.count - 1])
        let right = size.width - Self.right, floor = Self.height - Self.bottom
        func x(_ value: Double) -> String {
            number(Self.left + (value - from) / (to - from) * (right - Self.left))
        }
        func y(_ value: Double) -> Double {
            let share = (position(value) - low) / max(high - low, 1e-9)
            return floor - share * (floor - Self.top)
        }
        func path(_ series: Series) -> String {
            series.points.map { "\(x($0.x)),\(number(y($0.y)))" }.joined(separator: " ")
        }

        var parts: [String] = []
        for (index, band) in bands.enumerated() {
            let end = index + 1 < bands.count ? bands[index + 1].from : to
            let height = number(floor - Self.top), width = max(0, (end - band.from) / (to - from) * (right - Self.left))
            if index % 2 == 0 {
                parts.append(
                    "<rect class=band x=\(x(band.from)) y=\(number(Self.top)) width=\(number(width)) height=\(height) />"
                )
            }
            if width >= Self.nameWidth {
                let place = "translate(\(x(band.from)) \(number(Self.top))) rotate(90)"
                parts.append("<text class=name transform=\"\(place)\" x=4 y=-4>\(band.name)</text>")
            }
        }
        for tick in ticks {
            let height = number(y(tick))
            parts.append("<line class=grid x1=\(number(Self.left)) x2=\(number(right)) y1=\(height) y2=\(height) />")
            parts.append(
                "<text class=tick x=\(number(Self.left - 6)) y=\(number(y(tick) + 3.5)) text-anchor=end>\(label(tick))</text>"
            )
        }
        for (time, anchor) in [(from, "start"), (to, "end")] {
            let words = "\(Format.fixed(time, 1)) s"
            parts.append(
                "<text class=tick x=\(x(time)) y=\(number(Self.height - 6)) text-anchor=\(anchor)>\(words)</text>")
        }
        if series.count == 1 {
            let points = "\(x(from)),\(number(floor)) \(path(series[0])) \(x(to)),\(number(floor))"
            parts.append("<polygon class=\"area \(series[0].style)\" points=\"\(points)\" />")
        }
        for series in series {
            parts.append("<polyline class=\"line \(series.style)\" points=\"\(path(series))\" />")
        }
        for series in series {
            for point in series.points {
                let band = bands.last { $0.from <= point.x }.map { " (\($0.name))" } ?? ""
                let words = "\(series.name) \(label(point.y)) at \(Format.fixed(point.x, 1)) s\(band)"
                parts.append(
                    "<circle class=spot cx=\(x(point.x)) cy=\(number(y(point.y))) r=4><title>\(words)</title></circle>")
            }
        }
        let keys = series.map { "<span class=\"key \($0.style)\">\($0.name)</span>" }.joined()
        return """
            <figure><figcaption>\(title)\(series.count > 1 ? keys : "")</figcaption>
            <svg viewBox="0 0 \(Int(size.width)) \(Int(Self.height))" role=img aria-label="\(title)">
            \(parts.joined(separator: "\n"))
            </svg></figure>
            """
    }

    private func number(_ value: Double) -> String {
        Format.fixed(value, 1)
    }

    private func position(_ value: Double) -> Double {
        switch scale {
        case .linear: value
        case .logarithmic: log10(max(value, 1))
        }
    }

    /// The values at the axis's marks, which enclose the data. A linear axis starts at zero.
    private func ticks(_ least: Double, _ most: Double) -> [Double] {
        switch scale {
        case .linear:
            let rough = max(most / unit, 1e-9) / 3
            let power = Plot.power(of: log10(rough).rounded(.down))
            let step = ([1, 2, 2.5, 5, 10].first { $0 * power >= rough } ?? 10) * power
            let count = Int((most / unit / step).rounded(.up))
            return (0...max(1, count)).map { Double($0) * step * unit }
        case .logarithmic:
            let first = log10(max(least, 1)).rounded(.down), last = max(log10(max(most, 1)).rounded(.up), first + 1)
            let step = ((last - first) / 4).rounded(.up)
            let count = Int(((last - first) / step).rounded(.up))
            return (0...count).map { Plot.power(of: first + Double($0) * step) }
        }
    }

    private static func power(of exponent: Double) -> Double {
        exponent >= 0
            ? (0..<Int(exponent)).reduce(1) { power, _ in power * 10 }
            : (0..<Int(-exponent)).reduce(1) { power, _ in power / 10 }
    }
}

#include "show/forest.h"

#include "data/file_text.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace unravel::show {

namespace {

using contract::Forest;
using contract::Network;
using contract::Node;

/// Of the font that the page's style gives the pictures: 12 pixels, each letter as wide.
constexpr double letter = 7.3;
constexpr double loop_height = 22, pad = 8, gap = 6;

double width_of(const std::string &text) {
  return letter * static_cast<double>(text.size());
}

std::string text_at(double x, double y, const std::string &of_class, const std::string &text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", of_class, x, y,
                     escaped(text));
}

std::string box_at(double x, double y, double width, double height, const std::string &of_class) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"/>\n",
      of_class, x, y, width, height);
}

/// What it shows is said to those who don't see it, too.
std::string svg(double width, double height, const std::string &label, const std::string &inside) {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plan-picture\" role=\"img\" "
                     "aria-label=\"{0}\" width=\"{1:.0f}\" "
                     "height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\">\n{3}</svg>\n",
                     escaped(label), width + 4, height + 4, inside);
}

struct Drawing {
  double width = 0, height = 0;
  std::string svg;
};

class Loops {
public:
  Loops(const Network &network, const Forest &forest, std::size_t bytes)
      : network_(network), forest_(forest), bytes_(bytes), executions_(executions_of(network, forest)) {}

  Drawing of_all(const std::vector<std::string> &once, double x, double y) {
    Drawing made;
    for (const std::string &text : once)
      add_box(made, x, y, "once", text);
    add_body(made, forest_.roots, x, y);
    return made;
  }

private:
  static void add_size(Drawing &made, double width, double height) {
    made.width = std::max(made.width, width);
    made.height += height + gap;
  }

  static void add_box(Drawing &made, double x, double y, const std::string &of_class,
                      const std::string &text) {
    const double width = width_of(text) + 2 * pad;
    made.svg += box_at(x, y + made.height, width, loop_height, of_class) +
                text_at(x + pad, y + made.height + 15, "", text);
    add_size(made, width, loop_height);
  }

  Drawing of(const std::vector<Node> &body, double x, double y) {
    Drawing made;
    add_body(made, body, x, y);
    return made;
  }

  void add_body(Drawing &made, const std::vector<Node> &body, double x, double y) {
    for (const Node &node : body) {
      for (const contract::Buffer &buffer : begun_before(node, body, forest_))
        add_box(made, x, y, "buffer", buffer_text(buffer));
      if (!node.is_loop) {
        const std::string text = term_text(network_, forest_, node.number);
        made.svg += text_at(x, y + made.height + 15, "", text);
        add_size(made, width_of(text), loop_height);
        continue;
      }
      const std::string name = fmt::format("for {}", network_.indices[node.number].name);
      const std::string stored = stored_in(node);
      const std::string times = fmt::format("{}{} times", stored.empty() ? "" : "stored in " + stored + ", ",
                                            amount_text(executions_[next_++]));
      const Drawing inside = of(node.body, x + pad, y + made.height + loop_height + 2);
      const double head = 2 * pad + width_of(name) + 2 * letter + width_of(times);
      const double width = std::max(head, inside.width + 2 * pad);
      const double height = loop_height + 2 + inside.height;
      made.svg += box_at(x, y + made.height, width, height, stored.empty() ? "loop-box" : "loop-box sparse") +
                  text_at(x + pad, y + made.height + 15, "name", name) +
                  text_at(x + pad + width_of(name) + 2 * letter, y + made.height + 15, "quiet", times) +
                  inside.svg;
      add_size(made, width, height);
    }
  }

  std::string buffer_text(const contract::Buffer &buffer) const {
    const std::string name = written_text(network_, forest_, buffer.term);
    if (buffer.modes == 0) return name + " = 0";
    const double elements = network_.elements(buffer.modes);
    return fmt::format("{} = 0   {} elements, {}", name, amount_text(elements),
                       bytes_text(elements * static_cast<double>(bytes_)));
  }

  /// The sparse factors that are read in the loop and have its index: "A and B".
  std::string stored_in(const Node &loop) const {
    std::string names;
    const auto visit = [&](const auto &self, const Node &node) -> void {
      for (const Node &inner : node.body)
        self(self, inner);
      if (node.is_loop) return;
      for (std::size_t factor : forest_.terms[node.number].factors) {
        const contract::Factor &read = network_.factors[factor];
        const std::string name = read.text.substr(0, read.text.find('('));
        if (read.is_sparse() && contract::has(network_.of(factor), loop.number) &&
            names.find(name) == std::string::npos)
          names += (names.empty() ? "" : " and ") + name;
      }
    };
    visit(visit, loop);
    return names;
  }

  const Network &network_;
  const Forest &forest_;
  std::size_t bytes_;
  std::vector<double> executions_;
  std::size_t next_ = 0; // of executions_
};

class Tree {
public:
  Tree(const Network &network, const Forest &forest) : network_(network), forest_(forest) {}

  Drawing draw() {
    of_term(forest_.terms.size() - 1, 0);
    return {right_ - between, bottom_, lines_ + boxes_};
  }

private:
  static constexpr double between = 10, top = 2, level = 46, height = 22;

  /// The middle of its box.
  double of_term(std::size_t number, int depth) {
    const contract::Term &term = forest_.terms[number];
    std::vector<double> middles;
    const double left = right_;
    for (std::size_t factor : term.factors) {
      const contract::Factor &read = network_.factors[factor];
      middles.push_back(box(product_text(network_, {factor}, {}), right_, depth + 1,
                            read.is_sparse() ? "leaf sparse" : "leaf"));
    }
    for (std::size_t inner : term.terms)
      middles.push_back(of_term(inner, depth + 1));
    const std::string text = written_text(network_, forest_, number);
    const double width = width_of(text) + 2 * pad;
    const double middle = std::max((middles.front() + middles.back()) / 2, left + width / 2);
    box(text, middle - width / 2, depth, number + 1 == forest_.terms.size() ? "leaf target" : "buffer");
    for (double inner : middles)
      lines_ += fmt::format("<path class=\"edge\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", middle,
                            top + level * depth + height, inner, top + level * (depth + 1));
    return middle;
  }

  double box(const std::string &text, double x, int depth, const std::string &of_class) {
    const double width = width_of(text) + 2 * pad, y = top + level * depth;
    boxes_ += box_at(x, y, width, height, of_class) + text_at(x + pad, y + 15, "", text);
    right_ = std::max(right_, x + width + between);
    bottom_ = std::max(bottom_, y + height);
    return x + width / 2;
  }

  const Network &network_;
  const Forest &forest_;
  double right_ = 2, bottom_ = 0;
  std::string lines_, boxes_;
};

} // namespace

std::string amount_text(double amount) {
  return amount < 1e6 ? fmt::format("{:.0f}", amount) : fmt::format("{:.3g}", amount);
}

std::string bytes_text(double bytes) {
  constexpr double most = 1e18;
  return data::memory_text(static_cast<std::int64_t>(std::min(bytes, most)));
}

std::string forest_svg(const Network &network, const Forest &forest, std::size_t bytes,
                       const std::vector<std::string> &once) {
  const Drawing made = Loops(network, forest, bytes).of_all(once, 2, 2);
  std::string label;
  for (const std::string &text : once)
    label += text + "\n";
  return svg(made.width, made.height, label + to_text(network, forest), made.svg);
}

std::string tree_svg(const Network &network, const Forest &forest) {
  const Drawing made = Tree(network, forest).draw();
  return svg(made.width, made.height + 2, "the order of the products", made.svg);
}

} // namespace unravel::show

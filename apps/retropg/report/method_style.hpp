#pragma once

#include <string>
#include <string_view>

namespace retropg::app {

/// How the curve of a method looks, the same in every figure.
struct MethodStyle {
  std::string color;  // #RRGGBB
  std::string dash;   // a dash type of gnuplot: solid, or lengths of dash and gap

  bool operator==(const MethodStyle&) const = default;
};

/// By the name of the algorithm in the registry. The built-in ones are in a table, where no two look alike; the style
/// of any other is derived from its name.
MethodStyle method_style(std::string_view algorithm);

/// The look of series that have one label in several panels, each of another method: no method's own.
MethodStyle shared_style();

/// One of several series of one style.
struct VariantStyle {
  std::string color, dash;
  int mark = 0;  // a point type of gnuplot; 0: none
};

/// Variant `number` of `count`, from 0: from light to dark, with marks on all but the first. Every second of more than
/// three has another dash.
VariantStyle variant_style(const MethodStyle& style, std::size_t number, std::size_t count);

}  // namespace retropg::app

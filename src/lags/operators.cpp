// lag and ddt: what a value was, and how fast it changes. Rules make nodes of them (rules/lags.h), and
// streams keep the fields that they need (lag_store.h).

#include "core/catalogue.h"

namespace pileus::operators {

Declaration lag();
Declaration ddt();

Declaration lag() {
  return {"lag",
          "What a value was so many hand-overs of its fields, or so much model time, before.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result"},
           {"by",
            ParameterKind::text,
            true,
            "",
            {},
            "how long before: \"1 step\", of those in which its fields come, or a time such as \"6 h\", a "
            "multiple of the frequency in time with which they come"}},
          RuleKind::lag};
}

Declaration ddt() {
  return {"ddt",
          "How fast a value changes: what it has changed by since its fields came before, by the model time "
          "since then.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result"}},
          RuleKind::lag};
}

}  // namespace pileus::operators

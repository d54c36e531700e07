/* Operators in C, and in what can make functions of C: a rule of the configuration that computes one value
 * from others, part by part, on the servers.
 *
 * A shared library that includes this header alone, and links with nothing, has one table:
 *
 *   static const pileus_operator operators[] = {{...}};
 *   PILEUS_C_OPERATORS(operators)
 *
 * docs/add-an-operator.md shows how. Nothing here depends on a compiler: a library works with every Pileus
 * that knows its PILEUS_OPERATOR_ABI. Dimensions stand fastest first, as they vary in memory; indices count
 * from 0. */
#ifndef PILEUS_OPERATOR_H
#define PILEUS_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Changes with everything that a compiled operator relies on. */
#define PILEUS_OPERATOR_ABI 1

/** The most dimensions of a value, and the most inputs of an operator. */
enum { PILEUS_OPERATOR_MOST_DIMENSIONS = 8, PILEUS_OPERATOR_MOST_INPUTS = 16 };

/** The size of a dimension that nobody knows yet, as in `pileus check`, which has no model. */
enum { PILEUS_OPERATOR_UNKNOWN_SIZE = -1 };

typedef enum pileus_operator_type {
  PILEUS_OPERATOR_DOUBLE = 0,
  PILEUS_OPERATOR_FLOAT = 1,
  PILEUS_OPERATOR_INT32 = 2,
  PILEUS_OPERATOR_INT64 = 3,
  PILEUS_OPERATOR_BOOL = 4 /**< a byte, 0 or 1 */
} pileus_operator_type;

/** What an attribute of the operator may be in a configuration. */
typedef enum pileus_operator_kind {
  PILEUS_OPERATOR_TEXT = 0,          /**< any text */
  PILEUS_OPERATOR_WORD = 1,          /**< one of `words` */
  PILEUS_OPERATOR_NUMBER = 2,        /**< a finite decimal number */
  PILEUS_OPERATOR_WHOLE_NUMBER = 3,  /**< from 0 */
  PILEUS_OPERATOR_WHOLE_NUMBERS = 4, /**< from 0, separated by commas */
  PILEUS_OPERATOR_NAME = 5,          /**< the name of one field or result: an input */
  PILEUS_OPERATOR_NAMES = 6          /**< names of dimensions, separated by commas */
} pileus_operator_kind;

typedef struct pileus_operator_parameter {
  const char* name;          /**< the attribute's name */
  int32_t kind;              /**< a pileus_operator_kind */
  int32_t is_required;       /**< 0: it may be left out */
  const char* default_value; /**< what it is then; NULL: "" */
  const char* words;         /**< what a word may be, separated by commas; else NULL */
  const char* help;          /**< one line for the reference; may be NULL */
  const char* units;         /**< the unit of a number; NULL where it has none */
} pileus_operator_parameter;

typedef struct pileus_operator_dimension {
  const char* name;
  int64_t size;              /**< of the whole domain */
  const double* coordinates; /**< `size` of them, or NULL */
  const char* units;         /**< of the coordinates; may be NULL */
} pileus_operator_dimension;

/** What is known about a value before the run. */
typedef struct pileus_operator_quantity {
  const char* name;
  int32_t type; /**< a pileus_operator_type */
  int32_t rank; /**< 0: a scalar */
  pileus_operator_dimension dimensions[PILEUS_OPERATOR_MOST_DIMENSIONS];
  int32_t has_missing; /**< 1: elements equal to `missing` stand for no value */
  double missing;
} pileus_operator_quantity;

/** One rule of a configuration. It and all that it points to are valid until `prepare` returns. */
typedef struct pileus_operator_rule {
  int32_t inputs; /**< in the order of the parameters that name them, each once */
  const pileus_operator_quantity* input;
  const void* host; /**< for the two calls */
  /** What stands in a parameter, defaults filled in; NULL if there is no such parameter. */
  const char* (*parameter)(const void* host, const char* name);
  /** The number of the input that a parameter of kind NAME names; -1 if there is none. */
  int32_t (*input_of)(const void* host, const char* name);
} pileus_operator_rule;

/** Elements that `compute` needs beside its part of the result, along one dimension of an input. */
typedef struct pileus_operator_halo {
  int64_t before, after;
  int32_t is_periodic; /**< the dimension goes on at its other end; otherwise the halo ends at the border */
  int32_t reserved;
} pileus_operator_halo;

/** What `prepare` says of one rule. It is all zero at first. */
typedef struct pileus_operator_prepared {
  /** The result. Dimensions may be copied from an input; one of another name is new. What it points to is
   *  copied when `prepare` has returned. */
  pileus_operator_quantity result;
  void* data;                  /**< given to `compute` and `release` */
  void (*release)(void* data); /**< may be NULL; called once, after the last `compute` */
  size_t working_bytes;        /**< what one `compute` takes beside its inputs and its result */
  /** By input, and by dimension of it: an input that has one comes in double precision, and its part is that
   *  of the result, wider by the halo. */
  pileus_operator_halo halos[PILEUS_OPERATOR_MOST_INPUTS][PILEUS_OPERATOR_MOST_DIMENSIONS];
} pileus_operator_prepared;

/** What one model rank holds of a value in one step: dense, fastest dimension first. */
typedef struct pileus_operator_part {
  int32_t type; /**< a pileus_operator_type */
  int32_t rank;
  const int64_t* start; /**< in the global indices, by dimension */
  const int64_t* count;
  void* first; /**< read-only but for the result, which is zero at first */
} pileus_operator_part;

/** Why something cannot be. Texts end with NUL. */
typedef struct pileus_operator_error {
  char parameter[64]; /**< which parameter is wrong; "": none of them */
  char text[448];     /**< a sentence without a full stop */
} pileus_operator_error;

typedef struct pileus_operator {
  const char* name; /**< in the configuration: letters, digits and _ */
  const char* help; /**< one line */
  int32_t parameters;
  int32_t knows_missing; /**< 1: it looks at `missing`. Others never get values that may be missing. */
  const pileus_operator_parameter* parameter;
  /** The parameter that names the dimension, or dimensions, of which each part has all; NULL: none. Where
   *  ranks hold parts of them, servers bring these together, in double precision. */
  const char* along;
  /** Called before the run, once for each rule. Returns 0, or another number and why. */
  int32_t (*prepare)(const pileus_operator_rule* rule, pileus_operator_prepared* prepared,
                     pileus_operator_error* error);
  /** Fills the result from `inputs` parts. Several threads call it at once, for each rank and step. If it
   *  does not return 0 the result is absent, and the reason is reported once. It follows from the inputs
   *  alone. */
  int32_t (*compute)(void* data, int32_t inputs, const pileus_operator_part* input,
                     const pileus_operator_part* result, pileus_operator_error* error);
} pileus_operator;

typedef struct pileus_operator_table {
  uint32_t abi; /**< PILEUS_OPERATOR_ABI */
  int32_t operators;
  const pileus_operator* operator_;
} pileus_operator_table;

/** Stands once in a library: `array` is an array of pileus_operator. A language that cannot fill in a table
 *  beforehand has a function of the name pileus_c_operator_table in its place, which returns its address. */
#define PILEUS_C_OPERATORS(array)                                                               \
  __attribute__((visibility("default"))) extern const pileus_operator_table pileus_c_operators; \
  const pileus_operator_table pileus_c_operators = {PILEUS_OPERATOR_ABI,                        \
                                                    (int32_t)(sizeof(array) / sizeof((array)[0])), (array)};

#ifdef __cplusplus
}
#endif
#endif

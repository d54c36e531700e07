/* column_integral in C: the integral of a field over one of its dimensions, by the trapezoidal rule on the
 * dimension's coordinates. It is a user's own operator: one file, which links with nothing of Pileus. */
#include <pileus/operator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of one rule: the dimension's place, and the weight of each point. */
typedef struct {
  int32_t axis;
  double* weights;
} integral;

static void forget(void* data) {
  if (data != NULL) free(((integral*)data)->weights);
  free(data);
}

static int32_t refuse(pileus_operator_error* error, const char* format, const char* name, const char* of) {
  snprintf(error->parameter, sizeof error->parameter, "dimension");
  snprintf(error->text, sizeof error->text, format, name, of);
  return 1;
}

/* Called before the run. It says what the result is and keeps what every step needs. */
static int32_t prepare(const pileus_operator_rule* rule, pileus_operator_prepared* prepared,
                       pileus_operator_error* error) {
  const pileus_operator_quantity* field = &rule->input[rule->input_of(rule->host, "field")];
  const char* name = rule->parameter(rule->host, "dimension");
  int32_t axis = 0;
  while (axis < field->rank && strcmp(field->dimensions[axis].name, name) != 0) ++axis;
  if (axis == field->rank) return refuse(error, "\"%s\" is no dimension of \"%s\"", name, field->name);
  const pileus_operator_dimension* dimension = &field->dimensions[axis];
  if (dimension->size != PILEUS_OPERATOR_UNKNOWN_SIZE && dimension->coordinates == NULL)
    return refuse(error, "the model gives no coordinates to \"%s\" of \"%s\"", name, field->name);

  integral* data = calloc(1, sizeof *data);
  prepared->data = data;
  prepared->release = forget;
  const int64_t size = dimension->coordinates == NULL ? 0 : dimension->size;
  if (data != NULL) data->weights = calloc((size_t)size + 1, sizeof(double));
  if (data == NULL || data->weights == NULL) return refuse(error, "no memory%s%s", "", "");
  data->axis = axis;
  for (int64_t i = 1; i < size; ++i) {
    const double half = (dimension->coordinates[i] - dimension->coordinates[i - 1]) / 2;
    data->weights[i - 1] += half;
    data->weights[i] += half;
  }

  prepared->result.type = PILEUS_OPERATOR_DOUBLE;
  for (int32_t d = 0; d < field->rank; ++d)
    if (d != axis) prepared->result.dimensions[prepared->result.rank++] = field->dimensions[d];
  return 0;
}

static double number(const pileus_operator_part* part, int64_t i) {
  switch (part->type) {
    case PILEUS_OPERATOR_DOUBLE: return ((const double*)part->first)[i];
    case PILEUS_OPERATOR_FLOAT: return ((const float*)part->first)[i];
    case PILEUS_OPERATOR_INT32: return ((const int32_t*)part->first)[i];
    case PILEUS_OPERATOR_INT64: return (double)((const int64_t*)part->first)[i];
    default: return ((const uint8_t*)part->first)[i];
  }
}

/* Called in every step for each model rank's part of the field. The sum runs in the order of the levels. */
static int32_t compute(void* of_rule, int32_t inputs, const pileus_operator_part* input,
                       const pileus_operator_part* result, pileus_operator_error* error) {
  (void)inputs, (void)error;
  const integral* data = of_rule;
  const pileus_operator_part* part = &input[0];
  int64_t inner = 1, size = 1; /* distance of neighbours along the dimension; elements of the result */
  for (int32_t d = 0; d < data->axis; ++d) inner *= part->count[d];
  for (int32_t d = 0; d < result->rank; ++d) size *= result->count[d];
  const int64_t levels = part->count[data->axis];
  for (int64_t i = 0; i < size; ++i) {
    const int64_t first = i / inner * inner * levels + i % inner;
    double sum = 0;
    for (int64_t level = 0; level < levels; ++level)
      sum += data->weights[part->start[data->axis] + level] * number(part, first + level * inner);
    ((double*)result->first)[i] = sum;
  }
  return 0;
}

/* The parameters of the operator for configurations. */
static const pileus_operator_parameter parameters[] = {
    {"field", PILEUS_OPERATOR_NAME, 1, NULL, NULL, "the field or result that is integrated", NULL},
    {"dimension", PILEUS_OPERATOR_TEXT, 0, "z", NULL, "the dimension, which has coordinates", NULL}};

static const pileus_operator operators[] = {
    {"column_integral", "Integrates a field over one dimension, by the trapezoidal rule on its coordinates.",
     2, 0, parameters, NULL, prepare, compute}};

PILEUS_C_OPERATORS(operators)

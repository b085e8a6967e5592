#include <string>
#include <string_view>

#include "tools/json.h"
#include "tools/roundtrip_page.h"
#include "tools/status_json.h"

namespace heapglot::tool {
namespace {

void AddLeg(std::string_view key, const Leg& leg, Json& json) {
  json.Key(key);
  json.BeginObject();
  json.Add("size", leg.size);
  if (leg.sidecar_size > 0) json.Add("sidecar_size", leg.sidecar_size);
  json.Add("worst", ToString(leg.loss.worst()));
  json.Key("loss");
  json.BeginArray();
  for (const LossReport::Item& item : leg.loss.items()) {
    json.BeginObject();
    json.Add("code", item.code);
    json.Add("class", ToString(item.loss_class));
    json.Add("count", item.count);
    json.Add("detail", item.detail);
    json.EndObject();
  }
  json.EndArray();
  json.Key("synthesized");
  json.BeginArray();
  for (const LossReport::Item& item : leg.loss.synthesized()) {
    json.BeginObject();
    json.Add("code", item.code);
    json.Add("count", item.count);
    json.Add("detail", item.detail);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void AddBytes(const ByteDifference& bytes, Json& json) {
  json.Key("first_difference");
  json.BeginObject();
  AddWhere({.byte = bytes.offset, .line = bytes.line, .column = bytes.column},
           json);
  json.Add("before", EscapeBytes(bytes.before));
  json.Add("after", EscapeBytes(bytes.after));
  json.EndObject();
}

void AddTables(const StreamDifference& content, Json& json) {
  json.Key("tables");
  json.BeginArray();
  for (const StreamDifference::Table& table : content.tables) {
    json.BeginObject();
    json.Add("name", table.name);
    json.Add("rows_before", table.rows_before);
    json.Add("rows_after", table.rows_after);
    json.Add("added", table.added);
    json.Add("removed", table.removed);
    json.EndObject();
  }
  json.EndArray();
}

void AddColumns(const StreamDifference& content, Json& json) {
  json.Key("columns");
  json.BeginArray();
  for (const StreamDifference::Column& column : content.columns) {
    json.BeginObject();
    json.Add("name", column.name);
    json.Add("rows", column.rows);
    json.Key("examples");
    json.BeginArray();
    for (const StreamDifference::Example& example : column.examples) {
      json.BeginObject();
      json.Add("graph", example.graph);
      json.Add("row", example.row);
      json.Add("before", example.before);
      json.Add("after", example.after);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void AddFailedLeg(const RoundTrip& trip, Json& json) {
  json.Key("failure");
  json.BeginObject();
  json.Add("leg", trip.failed_on_the_way_back ? "back" : "there");
  AddFailure(trip.failure, json);
  json.EndObject();
}

void AddTrip(const RoundTrip& trip, bool differs, Json& json) {
  json.BeginObject();
  json.Add("via", trip.via->name);
  json.Add("verdict", ToString(trip.sameness));
  json.AddBool("differs", differs);
  AddLeg("there", trip.there, json);
  AddLeg("back", trip.back, json);
  if (trip.bytes) AddBytes(*trip.bytes, json);
  AddTables(trip.content, json);
  AddColumns(trip.content, json);
  if (trip.sameness == Sameness::kFailed) AddFailedLeg(trip, json);
  json.EndObject();
}

}  // namespace

std::string RoundTripJson(const RoundTrips& trips, const OpenInput& input) {
  Json json;
  json.BeginObject();
  json.Add("format", input.format->name);
  json.Add("compression", ToString(input.source->compression()));
  json.Add("size", input.source->bytes().size());
  json.Add("nodes", trips.nodes);
  json.Add("edges", trips.edges);
  json.AddBool("differs", trips.HasDifference());
  json.Key("trips");
  json.BeginArray();
  for (const RoundTrip& trip : trips.trips) {
    AddTrip(trip, trips.Differs(trip), json);
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace heapglot::tool

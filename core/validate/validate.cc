#include "heapglot/validate.h"

#include <algorithm>
#include <memory>
#include <new>

#include "core/checked_reader.h"
#include "core/out_of_memory.h"
#include "core/validate/common_rules.h"
#include "core/validate/graph_checks.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

// The rule for a reader that gives up; nullptr if that is not the input's
// fault.
const Rule* RuleOf(Code code) {
  switch (code) {
    case Code::kMalformed:
      return &CommonRule("heap.file.malformed");
    case Code::kTruncated:
      return &CommonRule("heap.file.truncated");
    case Code::kUnsupported:
      return &CommonRule("heap.file.unsupported");
    case Code::kLimit:
      return &CommonRule("heap.file.limit");
    default:
      return nullptr;
  }
}

const Rule* RuleOf(const Validator& validator, std::string_view code) {
  const auto rule =
      std::find_if(validator.rules.begin(), validator.rules.end(),
                   [&](const Rule& known) { return known.id == code; });
  return rule == validator.rules.end() ? nullptr : &*rule;
}

// A rule that knows nothing about a finding but its code.
const Rule* MakeRule(const std::string& code, Validation* validation) {
  struct Made {
    std::string code;
    Rule rule;
  };
  const auto made = std::make_shared<Made>(Made{.code = code, .rule = {}});
  made->rule = {
      .id = made->code,
      .severity = Severity::kWarning,
      .summary = "the reader could cope with this",
      .advice =
          "The format belongs to another program: see its documentation."};
  return validation->own_rules.emplace_back(made, &made->rule).get();
}

// Adds what the reader could live with, unless the check says it better.
Status AddWarnings(const Context& context, const ReaderInfo& format,
                   const Validator& validator, Validation* validation) {
  FindingLog* const log = &validation->log;
  for (const Finding& finding : context.findings()) {
    if (std::find(validator.refined.begin(), validator.refined.end(),
                  finding.code) != validator.refined.end())
      continue;
    const Rule* const rule = format.validator == nullptr
                                 ? MakeRule(finding.code, validation)
                                 : RuleOf(validator, finding.code);
    if (rule == nullptr)
      return {Code::kInternal, "no rule explains '" + finding.code + "'"};
    if (log->Has(*rule)) continue;
    log->Add(*rule, finding.message, finding.where);
    for (const Finding::Place& other : finding.others)
      log->Add(*rule, other.message, other.where);
    log->AddMore(*rule, finding.count - 1 - finding.others.size());
  }
  return {};
}

void AddVerdicts(const Validator& validator, Validation* validation) {
  for (const std::string_view reader : validator.readers) {
    Verdict& verdict =
        validation->verdicts.emplace_back(Verdict{.reader = reader});
    for (const FindingLog::Group& group : validation->log.groups()) {
      for (const Effect& effect : group.rule->effects) {
        if (effect.reader == reader)
          verdict.outcome = std::max(verdict.outcome, effect.outcome);
      }
    }
  }
}

}  // namespace

std::span<const Rule> CommonRules() { return kCommonRules; }

std::uint64_t Validation::Count(Severity severity) const {
  std::uint64_t count = 0;
  for (const FindingLog::Group& group : log.groups()) {
    if (group.rule->severity == severity) count += group.count;
  }
  return count;
}

Result<Validation> Validate(const ByteSource& source, const ReaderInfo& format,
                            Context& context) try {
  static constexpr Validator kNone;
  const Validator& validator =
      format.validator == nullptr ? kNone : *format.validator;
  Validation validation(context.examples);
  validation.format = format.name;
  const std::unique_ptr<Reader> reader = MakeReader(format, source, context);
  const Status status = CheckGraphs(*reader, context, &validation);
  validation.is_whole = status.ok();
  if (!status.ok() && RuleOf(status.code()) == nullptr) return status;
  if (validator.check != nullptr) {
    HEAPGLOT_RETURN_IF_ERROR(validator.check(source, context, validation.log));
  }
  HEAPGLOT_RETURN_IF_ERROR(context.CheckCancel());
  HEAPGLOT_RETURN_IF_ERROR(
      AddWarnings(context, format, validator, &validation));
  // The check may have reported the same place in more detail, but not that the
  // file is something else.
  const bool is_other = status.code() == Code::kUnsupported;
  if (!status.ok() &&
      (is_other || !validation.log.HasErrorAt(status.where()))) {
    validation.log.Add(*RuleOf(status.code()), status.message(),
                       status.where());
  }
  validation.log.Sort();
  AddVerdicts(validator, &validation);
  return validation;
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

Result<Validation> ValidateUnopened(const Status& status,
                                    std::uint64_t examples) {
  const Rule* rule = RuleOf(status.code());
  if (rule == nullptr) return status;
  // Input that no reader knows is refused at its first byte.
  if (status.code() == Code::kMalformed && status.where().byte == 0)
    rule = &CommonRule("heap.file.unknown");
  Validation validation(examples);
  validation.log.Add(*rule, status.message(), status.where());
  return validation;
}

}  // namespace heapglot

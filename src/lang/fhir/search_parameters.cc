#include "lang/fhir/search_parameters.h"

#include <algorithm>
#include <array>

namespace tidemill::lang::fhir {

namespace {

using enum ParameterKind;

constexpr SearchParameter kCommon[] = {
    {"_profile", uri, "meta.profile"},
    {"_security", token, "meta.security"},
    {"_source", uri, "meta.source"},
    {"_tag", token, "meta.tag"},
};

constexpr SearchParameter kAllergyIntolerance[] = {
    {"asserter", reference, "asserter"},
    {"category", token, "category"},
    {"clinical-status", token, "clinicalStatus"},
    {"code", token, "code|reaction.substance"},
    {"criticality", token, "criticality"},
    {"date", date, "recordedDate"},
    {"identifier", token, "identifier"},
    {"last-date", date, "lastOccurrence"},
    {"manifestation", token, "reaction.manifestation"},
    {"onset", date, "reaction.onset"},
    {"patient", reference, "patient"},
    {"recorder", reference, "recorder"},
    {"route", token, "reaction.exposureRoute"},
    {"severity", token, "reaction.severity"},
    {"type", token, "type"},
    {"verification-status", token, "verificationStatus"},
};

constexpr SearchParameter kAppointment[] = {
    {"actor", reference, "participant.actor"},
    {"appointment-type", token, "appointmentType"},
    {"based-on", reference, "basedOn"},
    {"date", date, "start"},
    {"identifier", token, "identifier"},
    {"location", reference, "participant.actor", "Location"},
    {"part-status", token, "participant.status"},
    {"patient", reference, "participant.actor", "Patient"},
    {"practitioner", reference, "participant.actor", "Practitioner"},
    {"reason-code", token, "reasonCode"},
    {"reason-reference", reference, "reasonReference"},
    {"service-category", token, "serviceCategory"},
    {"service-type", token, "serviceType"},
    {"slot", reference, "slot"},
    {"specialty", token, "specialty"},
    {"status", token, "status"},
};

constexpr SearchParameter kCarePlan[] = {
    {"activity-code", token, "activity.detail.code"},
    {"activity-date", date, "activity.detail.scheduledTiming|activity.detail.scheduledPeriod"},
    {"activity-reference", reference, "activity.reference"},
    {"based-on", reference, "basedOn"},
    {"care-team", reference, "careTeam"},
    {"category", token, "category"},
    {"condition", reference, "addresses"},
    {"date", date, "period"},
    {"encounter", reference, "encounter"},
    {"goal", reference, "goal"},
    {"identifier", token, "identifier"},
    {"instantiates-uri", uri, "instantiatesUri"},
    {"intent", token, "intent"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "activity.detail.performer"},
    {"replaces", reference, "replaces"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kCareTeam[] = {
    {"category", token, "category"},
    {"date", date, "period"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"participant", reference, "participant.member"},
    {"patient", reference, "subject", "Patient"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kClaim[] = {
    {"care-team", reference, "careTeam.provider"},
    {"created", date, "created"},
    {"encounter", reference, "item.encounter"},
    {"enterer", reference, "enterer"},
    {"facility", reference, "facility"},
    {"identifier", token, "identifier"},
    {"insurer", reference, "insurer"},
    {"patient", reference, "patient"},
    {"payee", reference, "payee.party"},
    {"priority", token, "priority"},
    {"provider", reference, "provider"},
    {"status", token, "status"},
    {"use", token, "use"},
};

constexpr SearchParameter kClaimResponse[] = {
    {"created", date, "created"},
    {"disposition", string, "disposition"},
    {"identifier", token, "identifier"},
    {"insurer", reference, "insurer"},
    {"outcome", token, "outcome"},
    {"patient", reference, "patient"},
    {"payment-date", date, "payment.date"},
    {"request", reference, "request"},
    {"requestor", reference, "requestor"},
    {"status", token, "status"},
    {"use", token, "use"},
};

constexpr SearchParameter kCondition[] = {
    {"abatement-date", date, "abatementDateTime|abatementPeriod"},
    {"abatement-string", string, "abatementString"},
    {"asserter", reference, "asserter"},
    {"body-site", token, "bodySite"},
    {"category", token, "category"},
    {"clinical-status", token, "clinicalStatus"},
    {"code", token, "code"},
    {"encounter", reference, "encounter"},
    {"evidence", token, "evidence.code"},
    {"evidence-detail", reference, "evidence.detail"},
    {"identifier", token, "identifier"},
    {"onset-date", date, "onsetDateTime|onsetPeriod"},
    {"onset-info", string, "onsetString"},
    {"patient", reference, "subject", "Patient"},
    {"recorded-date", date, "recordedDate"},
    {"severity", token, "severity"},
    {"stage", token, "stage.summary"},
    {"subject", reference, "subject"},
    {"verification-status", token, "verificationStatus"},
};

constexpr SearchParameter kCoverage[] = {
    {"beneficiary", reference, "beneficiary"},
    {"class-type", token, "class.type"},
    {"class-value", string, "class.value"},
    {"dependent", string, "dependent"},
    {"identifier", token, "identifier"},
    {"patient", reference, "beneficiary", "Patient"},
    {"payor", reference, "payor"},
    {"policy-holder", reference, "policyHolder"},
    {"status", token, "status"},
    {"subscriber", reference, "subscriber"},
    {"type", token, "type"},
};

constexpr SearchParameter kDevice[] = {
    {"device-name", string, "deviceName.name|type.text"},
    {"identifier", token, "identifier"},
    {"location", reference, "location"},
    {"manufacturer", string, "manufacturer"},
    {"model", string, "modelNumber"},
    {"organization", reference, "owner"},
    {"patient", reference, "patient"},
    {"status", token, "status"},
    {"type", token, "type"},
    {"udi-di", string, "udiCarrier.deviceIdentifier"},
    {"url", uri, "url"},
};

constexpr SearchParameter kDiagnosticReport[] = {
    {"based-on", reference, "basedOn"},
    {"category", token, "category"},
    {"code", token, "code"},
    {"conclusion", token, "conclusionCode"},
    {"date", date, "effectiveDateTime|effectivePeriod"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"issued", date, "issued"},
    {"media", reference, "media.link"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer"},
    {"result", reference, "result"},
    {"results-interpreter", reference, "resultsInterpreter"},
    {"specimen", reference, "specimen"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kDocumentReference[] = {
    {"authenticator", reference, "authenticator"},
    {"author", reference, "author"},
    {"category", token, "category"},
    {"contenttype", token, "content.attachment.contentType"},
    {"custodian", reference, "custodian"},
    {"date", date, "date"},
    {"description", string, "description"},
    {"encounter", reference, "context.encounter"},
    {"event", token, "context.event"},
    {"facility", token, "context.facilityType"},
    {"format", token, "content.format"},
    {"identifier", token, "masterIdentifier|identifier"},
    {"language", token, "content.attachment.language"},
    {"location", uri, "content.attachment.url"},
    {"patient", reference, "subject", "Patient"},
    {"period", date, "context.period"},
    {"related", reference, "context.related"},
    {"relatesto", reference, "relatesTo.target"},
    {"relation", token, "relatesTo.code"},
    {"security-label", token, "securityLabel"},
    {"setting", token, "context.practiceSetting"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
    {"type", token, "type"},
};

constexpr SearchParameter kEncounter[] = {
    {"account", reference, "account"},
    {"appointment", reference, "appointment"},
    {"based-on", reference, "basedOn"},
    {"class", token, "class"},
    {"date", date, "period"},
    {"diagnosis", reference, "diagnosis.condition"},
    {"episode-of-care", reference, "episodeOfCare"},
    {"identifier", token, "identifier"},
    {"length", quantity, "length"},
    {"location", reference, "location.location"},
    {"location-period", date, "location.period"},
    {"part-of", reference, "partOf"},
    {"participant", reference, "participant.individual"},
    {"participant-type", token, "participant.type"},
    {"patient", reference, "subject", "Patient"},
    {"practitioner", reference, "participant.individual", "Practitioner"},
    {"reason-code", token, "reasonCode"},
    {"reason-reference", reference, "reasonReference"},
    {"service-provider", reference, "serviceProvider"},
    {"special-arrangement", token, "hospitalization.specialArrangement"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
    {"type", token, "type"},
};

constexpr SearchParameter kExplanationOfBenefit[] = {
    {"care-team", reference, "careTeam.provider"},
    {"claim", reference, "claim"},
    {"coverage", reference, "insurance.coverage"},
    {"created", date, "created"},
    {"disposition", string, "disposition"},
    {"encounter", reference, "item.encounter"},
    {"enterer", reference, "enterer"},
    {"facility", reference, "facility"},
    {"identifier", token, "identifier"},
    {"patient", reference, "patient"},
    {"payee", reference, "payee.party"},
    {"provider", reference, "provider"},
    {"status", token, "status"},
};

constexpr SearchParameter kGoal[] = {
    {"achievement-status", token, "achievementStatus"},
    {"category", token, "category"},
    {"identifier", token, "identifier"},
    {"lifecycle-status", token, "lifecycleStatus"},
    {"patient", reference, "subject", "Patient"},
    {"start-date", date, "startDate"},
    {"subject", reference, "subject"},
    {"target-date", date, "target.dueDate"},
};

constexpr SearchParameter kGroup[] = {
    {"actual", token, "actual"},
    {"characteristic", token, "characteristic.code"},
    {"code", token, "code"},
    {"exclude", token, "characteristic.exclude"},
    {"identifier", token, "identifier"},
    {"managing-entity", reference, "managingEntity"},
    {"member", reference, "member.entity"},
    {"type", token, "type"},
    {"value", token, "characteristic.valueCodeableConcept|characteristic.valueBoolean"},
};

constexpr SearchParameter kImmunization[] = {
    {"date", date, "occurrenceDateTime"},
    {"identifier", token, "identifier"},
    {"location", reference, "location"},
    {"lot-number", string, "lotNumber"},
    {"manufacturer", reference, "manufacturer"},
    {"patient", reference, "patient"},
    {"performer", reference, "performer.actor"},
    {"reaction", reference, "reaction.detail"},
    {"reaction-date", date, "reaction.date"},
    {"reason-code", token, "reasonCode"},
    {"reason-reference", reference, "reasonReference"},
    {"series", string, "protocolApplied.series"},
    {"status", token, "status"},
    {"status-reason", token, "statusReason"},
    {"target-disease", token, "protocolApplied.targetDisease"},
    {"vaccine-code", token, "vaccineCode"},
};

constexpr SearchParameter kLocation[] = {
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"endpoint", reference, "endpoint"},
    {"identifier", token, "identifier"},
    {"name", string, "name|alias"},
    {"operational-status", token, "operationalStatus"},
    {"organization", reference, "managingOrganization"},
    {"partof", reference, "partOf"},
    {"status", token, "status"},
    {"type", token, "type"},
};

constexpr SearchParameter kMedication[] = {
    {"code", token, "code"},
    {"expiration-date", date, "batch.expirationDate"},
    {"form", token, "form"},
    {"identifier", token, "identifier"},
    {"ingredient", reference, "ingredient.itemReference"},
    {"ingredient-code", token, "ingredient.itemCodeableConcept"},
    {"lot-number", token, "batch.lotNumber"},
    {"manufacturer", reference, "manufacturer"},
    {"status", token, "status"},
};

constexpr SearchParameter kMedicationAdministration[] = {
    {"code", token, "medicationCodeableConcept"},
    {"context", reference, "context"},
    {"device", reference, "device"},
    {"effective-time", date, "effectiveDateTime|effectivePeriod"},
    {"identifier", token, "identifier"},
    {"medication", reference, "medicationReference"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer.actor"},
    {"reason-given", token, "reasonCode"},
    {"reason-not-given", token, "statusReason"},
    {"request", reference, "request"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kMedicationDispense[] = {
    {"code", token, "medicationCodeableConcept"},
    {"context", reference, "context"},
    {"destination", reference, "destination"},
    {"identifier", token, "identifier"},
    {"medication", reference, "medicationReference"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer.actor"},
    {"prescription", reference, "authorizingPrescription"},
    {"receiver", reference, "receiver"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
    {"type", token, "type"},
    {"whenhandedover", date, "whenHandedOver"},
    {"whenprepared", date, "whenPrepared"},
};

constexpr SearchParameter kMedicationRequest[] = {
    {"authoredon", date, "authoredOn"},
    {"category", token, "category"},
    {"code", token, "medicationCodeableConcept"},
    {"date", date, "dosageInstruction.timing"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"intended-dispenser", reference, "dispenseRequest.performer"},
    {"intended-performer", reference, "performer"},
    {"intended-performertype", token, "performerType"},
    {"intent", token, "intent"},
    {"medication", reference, "medicationReference"},
    {"patient", reference, "subject", "Patient"},
    {"priority", token, "priority"},
    {"requester", reference, "requester"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kMedicationStatement[] = {
    {"category", token, "category"},
    {"code", token, "medicationCodeableConcept"},
    {"context", reference, "context"},
    {"effective", date, "effectiveDateTime|effectivePeriod"},
    {"identifier", token, "identifier"},
    {"medication", reference, "medicationReference"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "subject", "Patient"},
    {"source", reference, "informationSource"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kObservation[] = {
    {"based-on", reference, "basedOn"},
    {"category", token, "category"},
    {"code", token, "code"},
    {"combo-code", token, "code|component.code"},
    {"combo-value-concept", token, "valueCodeableConcept|component.valueCodeableConcept"},
    {"combo-value-quantity", quantity, "valueQuantity|component.valueQuantity"},
    {"component-code", token, "component.code"},
    {"component-value-concept", token, "component.valueCodeableConcept"},
    {"component-value-quantity", quantity, "component.valueQuantity"},
    {"data-absent-reason", token, "dataAbsentReason"},
    {"date", date, "effectiveDateTime|effectivePeriod|effectiveInstant|effectiveTiming"},
    {"derived-from", reference, "derivedFrom"},
    {"device", reference, "device"},
    {"encounter", reference, "encounter"},
    {"focus", reference, "focus"},
    {"has-member", reference, "hasMember"},
    {"identifier", token, "identifier"},
    {"method", token, "method"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer"},
    {"specimen", reference, "specimen"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
    {"value-concept", token, "valueCodeableConcept"},
    {"value-date", date, "valueDateTime|valuePeriod"},
    {"value-quantity", quantity, "valueQuantity"},
    {"value-string", string, "valueString|valueCodeableConcept.text"},
};

constexpr SearchParameter kOrganization[] = {
    {"active", token, "active"},
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"endpoint", reference, "endpoint"},
    {"identifier", token, "identifier"},
    {"name", string, "name|alias"},
    {"partof", reference, "partOf"},
    {"type", token, "type"},
};

constexpr SearchParameter kPatient[] = {
    {"active", token, "active"},
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"birthdate", date, "birthDate"},
    {"death-date", date, "deceasedDateTime"},
    {"deceased", token, "deceasedBoolean|deceasedDateTime?"},
    {"email", token, "telecom[system=email]"},
    {"family", string, "name.family"},
    {"gender", token, "gender"},
    {"general-practitioner", reference, "generalPractitioner"},
    {"given", string, "name.given"},
    {"identifier", token, "identifier"},
    {"language", token, "communication.language"},
    {"link", reference, "link.other"},
    {"name", string, "name"},
    {"organization", reference, "managingOrganization"},
    {"phone", token, "telecom[system=phone]"},
    {"telecom", token, "telecom"},
};

constexpr SearchParameter kPerson[] = {
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"birthdate", date, "birthDate"},
    {"email", token, "telecom[system=email]"},
    {"gender", token, "gender"},
    {"identifier", token, "identifier"},
    {"link", reference, "link.target"},
    {"name", string, "name"},
    {"organization", reference, "managingOrganization"},
    {"phone", token, "telecom[system=phone]"},
    {"telecom", token, "telecom"},
};

constexpr SearchParameter kPractitioner[] = {
    {"active", token, "active"},
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"communication", token, "communication"},
    {"email", token, "telecom[system=email]"},
    {"family", string, "name.family"},
    {"gender", token, "gender"},
    {"given", string, "name.given"},
    {"identifier", token, "identifier"},
    {"name", string, "name"},
    {"phone", token, "telecom[system=phone]"},
    {"telecom", token, "telecom"},
};

constexpr SearchParameter kPractitionerRole[] = {
    {"active", token, "active"},
    {"date", date, "period"},
    {"email", token, "telecom[system=email]"},
    {"endpoint", reference, "endpoint"},
    {"identifier", token, "identifier"},
    {"location", reference, "location"},
    {"organization", reference, "organization"},
    {"phone", token, "telecom[system=phone]"},
    {"practitioner", reference, "practitioner"},
    {"role", token, "code"},
    {"service", reference, "healthcareService"},
    {"specialty", token, "specialty"},
    {"telecom", token, "telecom"},
};

constexpr SearchParameter kProcedure[] = {
    {"based-on", reference, "basedOn"},
    {"category", token, "category"},
    {"code", token, "code"},
    {"date", date, "performedDateTime|performedPeriod"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"instantiates-uri", uri, "instantiatesUri"},
    {"location", reference, "location"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer.actor"},
    {"reason-code", token, "reasonCode"},
    {"reason-reference", reference, "reasonReference"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kProvenance[] = {
    {"agent", reference, "agent.who"},
    {"agent-role", token, "agent.role"},
    {"agent-type", token, "agent.type"},
    {"entity", reference, "entity.what"},
    {"location", reference, "location"},
    {"patient", reference, "target", "Patient"},
    {"recorded", date, "recorded"},
    {"signature-type", token, "signature.type"},
    {"target", reference, "target"},
    {"when", date, "occurredPeriod|occurredDateTime"},
};

constexpr SearchParameter kQuestionnaireResponse[] = {
    {"author", reference, "author"},
    {"authored", date, "authored"},
    {"based-on", reference, "basedOn"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "subject", "Patient"},
    {"questionnaire", uri, "questionnaire"},
    {"source", reference, "source"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kRelatedPerson[] = {
    {"active", token, "active"},
    {"address", string, "address"},
    {"address-city", string, "address.city"},
    {"address-country", string, "address.country"},
    {"address-postalcode", string, "address.postalCode"},
    {"address-state", string, "address.state"},
    {"address-use", token, "address.use"},
    {"birthdate", date, "birthDate"},
    {"email", token, "telecom[system=email]"},
    {"gender", token, "gender"},
    {"identifier", token, "identifier"},
    {"name", string, "name"},
    {"patient", reference, "patient"},
    {"phone", token, "telecom[system=phone]"},
    {"relationship", token, "relationship"},
    {"telecom", token, "telecom"},
};

constexpr SearchParameter kServiceRequest[] = {
    {"authored", date, "authoredOn"},
    {"based-on", reference, "basedOn"},
    {"body-site", token, "bodySite"},
    {"category", token, "category"},
    {"code", token, "code"},
    {"encounter", reference, "encounter"},
    {"identifier", token, "identifier"},
    {"intent", token, "intent"},
    {"occurrence", date, "occurrenceDateTime|occurrencePeriod|occurrenceTiming"},
    {"patient", reference, "subject", "Patient"},
    {"performer", reference, "performer"},
    {"performer-type", token, "performerType"},
    {"priority", token, "priority"},
    {"replaces", reference, "replaces"},
    {"requester", reference, "requester"},
    {"requisition", token, "requisition"},
    {"specimen", reference, "specimen"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
};

constexpr SearchParameter kSpecimen[] = {
    {"accession", token, "accessionIdentifier"},
    {"bodysite", token, "collection.bodySite"},
    {"collected", date, "collection.collectedDateTime|collection.collectedPeriod"},
    {"collector", reference, "collection.collector"},
    {"identifier", token, "identifier"},
    {"parent", reference, "parent"},
    {"patient", reference, "subject", "Patient"},
    {"status", token, "status"},
    {"subject", reference, "subject"},
    {"type", token, "type"},
};

constexpr SearchParameter kTask[] = {
    {"authored-on", date, "authoredOn"},
    {"based-on", reference, "basedOn"},
    {"business-status", token, "businessStatus"},
    {"code", token, "code"},
    {"encounter", reference, "encounter"},
    {"focus", reference, "focus"},
    {"group-identifier", token, "groupIdentifier"},
    {"identifier", token, "identifier"},
    {"intent", token, "intent"},
    {"modified", date, "lastModified"},
    {"owner", reference, "owner"},
    {"part-of", reference, "partOf"},
    {"patient", reference, "for", "Patient"},
    {"performer", token, "performerType"},
    {"period", date, "executionPeriod"},
    {"priority", token, "priority"},
    {"requester", reference, "requester"},
    {"status", token, "status"},
    {"subject", reference, "for"},
};

struct OfType {
  std::string_view type;
  std::span<const SearchParameter> parameters;
};

constexpr OfType kTypes[] = {
    {"AllergyIntolerance", kAllergyIntolerance},
    {"Appointment", kAppointment},
    {"CarePlan", kCarePlan},
    {"CareTeam", kCareTeam},
    {"Claim", kClaim},
    {"ClaimResponse", kClaimResponse},
    {"Condition", kCondition},
    {"Coverage", kCoverage},
    {"Device", kDevice},
    {"DiagnosticReport", kDiagnosticReport},
    {"DocumentReference", kDocumentReference},
    {"Encounter", kEncounter},
    {"ExplanationOfBenefit", kExplanationOfBenefit},
    {"Goal", kGoal},
    {"Group", kGroup},
    {"Immunization", kImmunization},
    {"Location", kLocation},
    {"Medication", kMedication},
    {"MedicationAdministration", kMedicationAdministration},
    {"MedicationDispense", kMedicationDispense},
    {"MedicationRequest", kMedicationRequest},
    {"MedicationStatement", kMedicationStatement},
    {"Observation", kObservation},
    {"Organization", kOrganization},
    {"Patient", kPatient},
    {"Person", kPerson},
    {"Practitioner", kPractitioner},
    {"PractitionerRole", kPractitionerRole},
    {"Procedure", kProcedure},
    {"Provenance", kProvenance},
    {"QuestionnaireResponse", kQuestionnaireResponse},
    {"RelatedPerson", kRelatedPerson},
    {"ServiceRequest", kServiceRequest},
    {"Specimen", kSpecimen},
    {"Task", kTask},
};

constexpr bool are_sorted() {
  return std::ranges::is_sorted(kTypes, {}, &OfType::type) && std::ranges::all_of(kTypes, [](const OfType& of) {
           return std::ranges::is_sorted(of.parameters, {}, &SearchParameter::name);
         });
}
static_assert(are_sorted());

constexpr auto kTypeNames = [] {
  std::array<std::string_view, std::size(kTypes)> names;
  std::ranges::transform(kTypes, names.begin(), &OfType::type);
  return names;
}();

const SearchParameter* find_in(std::span<const SearchParameter> all, std::string_view name) {
  const auto found = std::ranges::lower_bound(all, name, {}, &SearchParameter::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::string_view name_of(ParameterKind kind) {
  switch (kind) {
    case token: return "token";
    case string: return "string";
    case reference: return "reference";
    case date: return "date";
    case number: return "number";
    case quantity: return "quantity";
    case uri: return "uri";
  }
  return {};
}

std::span<const SearchParameter> parameters_of(std::string_view resource_type) {
  const auto found = std::ranges::lower_bound(kTypes, resource_type, {}, &OfType::type);
  if (found == std::end(kTypes) || found->type != resource_type) return {};
  return found->parameters;
}

std::span<const SearchParameter> common_parameters() { return kCommon; }

const SearchParameter* find_parameter(std::string_view resource_type, std::string_view name) {
  const SearchParameter* own = find_in(parameters_of(resource_type), name);
  return own ? own : find_in(kCommon, name);
}

std::span<const std::string_view> types_with_parameters() { return kTypeNames; }

}  // namespace tidemill::lang::fhir

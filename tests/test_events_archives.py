"""Archives keep the events of a bus; replays put them on it once more."""
import datetime
import json

import pytest

from events_support import Inbox, bus, create_bus, events, inbox, put, put_rule  # noqa: F401
from harness import eventually, quietly, refused, unique

SHOP = {"source": ["shop"]}
LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
FAR_OFF = datetime.datetime(2090, 1, 1, tzinfo=datetime.timezone.utc)


@pytest.fixture
def create_archive(cloud, events, bus):
    """create_archive(): name and ARN of an archive of the bus."""
    def create(**more):
        name = unique("archive")
        arn = events.create_archive(ArchiveName=name, EventSourceArn=events.describe_event_bus(Name=bus)["Arn"],
                                    **more)["ArchiveArn"]
        cloud.cleanup.callback(quietly, events.delete_archive, ArchiveName=name)
        eventually(lambda: events.describe_archive(ArchiveName=name)["State"] == "ENABLED", "the archive")
        return name, arn
    return create


@pytest.mark.parametrize("operation", ["CreateArchive", "UpdateArchive", "CreateEventBus", "UpdateEventBus"])
def test_an_empty_key_is_none(cloud, events, bus, create_archive, operation):
    request = {"CreateArchive": {"ArchiveName": unique("archive"), "EventSourceArn": events.describe_event_bus(Name=bus)["Arn"]},
               "UpdateArchive": {"ArchiveName": create_archive()[0], "Description": "kept"},
               "CreateEventBus": {"Name": unique("bus")},
               "UpdateEventBus": {"Name": bus}}[operation]
    status, answer = cloud.call_json(f"AWSEvents.{operation}", {**request, "KmsKeyIdentifier": ""}, "events")
    assert status == 200, answer
    if "ArchiveName" in request:
        events.delete_archive(ArchiveName=request["ArchiveName"])
    elif operation == "CreateEventBus":
        events.delete_event_bus(Name=request["Name"])


def start_replay(events, bus, archive_arn, begin=LONG_AGO, end=FAR_OFF, **destination):
    name = unique("replay")
    answer = events.start_replay(
        ReplayName=name, EventSourceArn=archive_arn, EventStartTime=begin, EventEndTime=end,
        Destination={"Arn": events.describe_event_bus(Name=bus)["Arn"], **destination})
    assert answer["State"] == "STARTING"
    return name


def completed(events, replay):
    def done():
        found = events.describe_replay(ReplayName=replay)
        return found if found["State"] == "COMPLETED" else None
    return eventually(done, "the end of the replay")


def test_archived_events_are_put_on_their_bus_again(cloud, events, bus, inbox, create_archive):
    name, arn = create_archive(EventPattern=json.dumps(SHOP))
    ids = [put(events, bus, {"n": n}) for n in range(3)]
    put(events, bus, {"n": 9}, source="other")
    eventually(lambda: events.describe_archive(ArchiveName=name)["EventCount"] == 3, "three events in the archive")
    assert events.describe_archive(ArchiveName=name)["SizeBytes"] > 300
    rule = put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn}])
    replay = start_replay(events, bus, arn)
    documents = inbox.documents(3)
    assert sorted(document["id"] for document in documents) == sorted(ids)
    assert {document["replay-name"] for document in documents} == {replay}
    found = completed(events, replay)
    assert found["EventSourceArn"] == arn and found["ReplayEndTime"] >= found["ReplayStartTime"]
    assert [each["ReplayName"] for each in events.list_replays(NamePrefix=replay)["Replays"]] == [replay]
    # What is replayed is not archived again.
    assert events.describe_archive(ArchiveName=name)["EventCount"] == 3
    assert rule


def test_a_replay_may_go_to_some_rules_only(cloud, events, bus, create_archive):
    _, arn = create_archive()
    put(events, bus, {"n": 1})
    chosen, other = Inbox(cloud), Inbox(cloud)
    rule = put_rule(cloud, bus, SHOP, [{"Arn": chosen.arn}])
    put_rule(cloud, bus, SHOP, [{"Arn": other.arn}])
    replay = start_replay(events, bus, arn, FilterArns=[events.describe_rule(Name=rule, EventBusName=bus)["Arn"]])
    assert chosen.details() == [{"n": 1}]
    completed(events, replay)
    put(events, bus, {"n": 2})
    assert other.details() == [{"n": 2}]


def test_a_replay_may_begin_in_1970(cloud, events, bus, inbox, create_archive):
    name, arn = create_archive()
    put(events, bus, {"n": 1})
    eventually(lambda: events.describe_archive(ArchiveName=name)["EventCount"] == 1, "an event in the archive")
    put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn}])
    start_replay(events, bus, arn, begin=0)
    assert inbox.details() == [{"n": 1}]


def test_a_replay_has_the_events_of_its_period_only(cloud, events, bus, inbox, create_archive):
    _, arn = create_archive()
    put(events, bus, {"n": 1})
    put_rule(cloud, bus, SHOP, [{"Arn": inbox.arn}])
    day = datetime.timedelta(days=1)
    for begin, end in ((LONG_AGO, LONG_AGO + day), (FAR_OFF - day, FAR_OFF)):
        completed(events, start_replay(events, bus, arn, begin, end))
    put(events, bus, {"n": 2})
    assert inbox.details() == [{"n": 2}]


def test_archives_are_listed_changed_and_deleted(events, bus, create_archive):
    name, arn = create_archive(Description="all", RetentionDays=3)
    found = events.describe_archive(ArchiveName=name)
    assert (found["Description"], found["RetentionDays"], found["ArchiveArn"]) == ("all", 3, arn)
    assert arn.endswith(f":archive/{name}")
    [listed] = events.list_archives(NamePrefix=name)["Archives"]
    assert (listed["ArchiveName"], listed["State"], listed["EventCount"]) == (name, "ENABLED", 0)
    source = events.describe_event_bus(Name=bus)["Arn"]
    assert [each["ArchiveName"] for each in events.list_archives(EventSourceArn=source)["Archives"]] == [name]
    events.update_archive(ArchiveName=name, EventPattern=json.dumps(SHOP))
    assert json.loads(events.describe_archive(ArchiveName=name)["EventPattern"]) == SHOP
    events.delete_archive(ArchiveName=name)
    with refused("ResourceNotFoundException", f"Archive {name} does not exist."):
        events.describe_archive(ArchiveName=name)


def test_archives_and_replays_that_make_no_sense_are_refused(events, bus, create_bus, create_archive):
    name, arn = create_archive()
    source = events.describe_event_bus(Name=bus)["Arn"]
    with refused("ResourceAlreadyExistsException", f"Archive {name} already exists."):
        events.create_archive(ArchiveName=name, EventSourceArn=source)
    with refused("ResourceNotFoundException", "Event bus none does not exist."):
        events.create_archive(ArchiveName=unique("a"), EventSourceArn=source.replace(bus, "none"))
    with refused("InvalidEventPatternException", "Event pattern is not valid. Reason: "):
        events.create_archive(ArchiveName=unique("a"), EventSourceArn=source, EventPattern='{"source":[]}')
    with refused("ValidationException", "At least one of EventPattern, RetentionDays or Description must be provided."):
        events.update_archive(ArchiveName=name)
    for call in (events.delete_archive, events.describe_archive):
        with refused("ResourceNotFoundException", "Archive none does not exist."):
            call(ArchiveName="none")
    with refused("ValidationException", "EventStartTime must be before EventEndTime."):
        start_replay(events, bus, arn, FAR_OFF, LONG_AGO)
    with refused("ValidationException", "Parameter EventSourceArn is not valid. Reason: Archive none does not exist."):
        start_replay(events, bus, arn.replace(name, "none"))
    with refused("ValidationException", "Cross event bus replay is not permitted."):
        start_replay(events, create_bus(), arn)
    replay = start_replay(events, bus, arn)
    with refused("ResourceAlreadyExistsException", f"Replay {replay} already exists."):
        events.start_replay(ReplayName=replay, EventSourceArn=arn, EventStartTime=LONG_AGO, EventEndTime=FAR_OFF,
                            Destination={"Arn": source})
    completed(events, replay)
    with refused("IllegalStatusException", f"Replay {replay} is not in a valid state for this operation."):
        events.cancel_replay(ReplayName=replay)
    with refused("ResourceNotFoundException", "Replay none does not exist."):
        events.describe_replay(ReplayName="none")

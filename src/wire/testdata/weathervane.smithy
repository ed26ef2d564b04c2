$version: "2.0"

// A small service of every protocol that is not rest: json, CBOR beside it, Smithy RPC v2 and Query, with events. Only
// for tests.
namespace tidemill.weathervane

@awsJson1_1
@awsCbor1_1
@rpcv2Cbor
@awsQuery
@signingName("weathervane")
@targetPrefix("Weathervane_20260101")
@errorNamespace("com.amazonaws.weathervane")
@xmlNamespace("http://weathervane.example.com/doc/2026-01-01/")
@requestBytesMax(100000)
service Weathervane {
    version: "2026-01-01"
    operations: [Observe, Reset, Watch]
}

@length(min: 1, max: 8)
string Station

list Numbers {
    member: Double
}

map Tags {
    key: String
    value: String
}

structure Gust {
    @required
    Speed: Double

    At: Timestamp

    Before: Gusts
}

list Gusts {
    member: Gust
}

@length(max: 3)
list Marks {
    member: Gust
}

enum Sky {
    CLEAR
    CLOUDY
}

operation Observe {
    input := {
        @required
        Station: Station

        Gusts: Gusts

        Numbers: Numbers

        Tags: Tags

        Marks: Marks

        Count: Integer

        Total: Long

        Raw: Blob

        At: Timestamp

        Wet: Boolean

        Sky: Sky

        @unsupported(unless: 1)
        Edition: Integer

        @unsupported
        Forecast: Numbers
    }
    output := {
        @required
        Station: Station

        Gusts: Gusts

        Numbers: Numbers

        Tags: Tags

        Count: Integer

        Total: Long

        Raw: Blob

        At: Timestamp

        Wet: Boolean
    }
    errors: [StationNotFoundException]
}

operation Reset {
}

@streaming
union WatchEvents {
    Gust: Gust
    Calm: Calm
    StationNotFoundException: StationNotFoundException
}

structure Calm {
    Since: Timestamp
}

operation Watch {
    input := {
        @required
        Station: Station
    }
    output := {
        Station: Station

        Events: WatchEvents
    }
}

@error("client")
@httpError(404)
@awsQueryError(code: "Weathervane.NoStation", httpResponseCode: 404)
structure StationNotFoundException {
    message: String

    Distance: Integer
}

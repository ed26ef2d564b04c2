$version: "2.0"

// A small service of the rest-json protocol. Only for tests.
namespace tidemill.teahouse

@restJson1
@signingName("teahouse")
@throttlingError("TooManyGuestsException")
@internalError("ServiceException")
@unsupportedError("InvalidParameterValueException")
service Teahouse {
    version: "2026-01-01"
    operations: [SeatGuest, ServeTea, ListGuests, GetGuest, RemoveGuest, ReadBook, SetMenu]
}

@pattern("[a-zA-Z0-9:-]+")
string GuestName

enum Course {
    FIRST
    SECOND
}

list Words {
    member: String
}

@http(method: "POST", uri: "/2026-01-01/guests", code: 201)
operation SeatGuest {
    input := {
        @required
        GuestName: GuestName

        Wishes: Words

        @unsupported
        Dog: Document
    }
    output: Guest
}

structure Guest {
    GuestName: String

    SeatedAt: Timestamp
}

@http(method: "GET", uri: "/2026-01-01/guests/{GuestName}")
operation GetGuest {
    input := {
        @required
        @httpLabel
        GuestName: GuestName

        @httpQuery("Course")
        Course: Course
    }
    output: Guest
}

@http(method: "GET", uri: "/2026-01-01/guests")
operation ListGuests {
    input := {
        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        @range(min: 1, max: 10)
        MaxItems: Integer

        @httpQuery("tag")
        Tags: Words

        @httpQuery("Late")
        Late: Boolean

        @unsupported
        @httpQuery("Region")
        Region: String
    }
    output := {
        Guests: Words
    }
}

@http(method: "DELETE", uri: "/2026-01-01/guests/{GuestName}", code: 204)
operation RemoveGuest {
    input := {
        @required
        @httpLabel
        GuestName: GuestName
    }
    output := {}
}

@http(method: "POST", uri: "/2026-01-01/guests/{GuestName}/tea")
operation ServeTea {
    input := {
        @required
        @httpLabel
        GuestName: GuestName

        @httpHeader("X-Amz-Course")
        Course: Course

        @httpPayload
        Tea: Blob
    }
    output := {
        @httpResponseCode
        StatusCode: Integer

        @httpHeader("X-Amz-Cup")
        Cup: String

        @httpHeader("X-Amz-Degrees")
        Degrees: Integer

        @httpPayload
        Tea: Blob
    }
}

@http(method: "GET", uri: "/books/{Path+}")
operation ReadBook {
    input := {
        @required
        @httpLabel
        Path: String
    }
    output := {
        @httpHeader("Last-Modified")
        Modified: Timestamp
    }
}

structure Menu {
    @required
    Dish: String
}

@http(method: "PUT", uri: "/menu")
operation SetMenu {
    input := {
        @required
        @httpPayload
        Menu: Menu
    }
    output := {
        @httpPayload
        Menu: Menu
    }
}

@error("client")
@httpError(404)
structure GuestNotFoundException {
    Type: String

    Message: String
}

@error("client")
@httpError(409)
structure SeatTakenException {
    Type: String

    message: String
}

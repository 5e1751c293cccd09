import {expect, test} from "vitest"
import {Client} from "../../../../server/adapters/matrix/client/client.ts"
import {readEvent} from "../../../../server/adapters/matrix/client/event.ts"
import {Translator} from "../../../../server/adapters/matrix/events.ts"
import {Rooms} from "../../../../server/adapters/matrix/rooms.ts"
import {log} from "../../../support/database/databases.ts"

test.for([
  ["m.room.encrypted", undefined],
  ["m.room.encryption", ""],
  ["m.room.tombstone", ""],
  ["m.room.topic", ""],
] as const)("a room with %s is one that the bot cannot read, except for the topic", async ([type, stateKey]) => {
  const told: string[] = []
  const client = new Client("http://127.0.0.1:1", "t")
  const self = {id: "@bot:a", name: "Bot"}
  const {signal} = new AbortController()
  const unreadable = (place: string) => void told.push(place)
  const unknown = () => {}
  const rooms = new Rooms(client, self, signal)
  const translator = new Translator({client, self, rooms, log, signal, unreadable, unknown})
  const event = readEvent({event_id: "$1", type, sender: "@ann:a", content: {}, state_key: stateKey})
  expect(event && (await translator.incoming("!r:a", event))).toBeUndefined()
  expect(told).toEqual(type === "m.room.topic" ? [] : ["!r:a"])
})

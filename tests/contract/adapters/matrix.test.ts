import {expect, test} from "vitest"
import {Client} from "../../../server/adapters/matrix/client/client.ts"
import {callOwn} from "../../../server/adapters/matrix/own-methods.ts"
import {Rooms} from "../../../server/adapters/matrix/rooms.ts"
import {matrix} from "../../support/adapters/matrix.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {shared} from "../../support/host/shared.ts"
import {describeWithDendrite, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {Person} from "../../support/platforms/matrix/person.ts"

describeWithDendrite("matrix, at a real dendrite", () => {
  const homeserver = shared(startDendrite)

  test("the Matrix adapter passes the conformance suite", async () => {
    expect(await omissionsOf(await matrix(homeserver()))).toEqual({
      "fetches missed messages under the same ids as live": "not checked: history is replay: there are no gaps to fill",
      "lists the bot's commands where its users look for them": without("commands"),
    })
  })

  test("Matrix' own methods can be called twice: pins, topic, power, invitation, ban and events", async () => {
    const [bot, ann] = await Promise.all(["bot", "ann"].map(name => Person.register(homeserver(), name)))
    if (bot === undefined || ann === undefined) throw new Error("nobody was registered")
    const room_id = await bot.createRoom({preset: "private_chat"})
    const client = new Client(homeserver().url, bot.token)
    const {signal} = new AbortController()
    const rooms = new Rooms(client, {id: bot.id, name: "bot"}, signal)
    const call = async (name: string, params: object, id?: string) => {
      const asked = {room_id, ...params}
      await callOwn({client, rooms}, name, asked, signal, id)
      return callOwn({client, rooms}, name, asked, signal, id)
    }
    const stateOf = (type: string) => call("getState", {type})
    const content = {msgtype: "m.text", body: "hello"}
    const sent = (await call("sendEvent", {type: "m.room.message", content}, "row-1")) as {event_id: string}
    const {event_id} = sent
    expect((await bot.events(room_id)).filter(({content: {body}}) => body === "hello")).toHaveLength(1)
    await call("pinMessage", {event_id: "$other:x"})
    await call("pinMessage", {event_id})
    expect(await stateOf("m.room.pinned_events")).toEqual({pinned: ["$other:x", event_id]})
    await call("unpinMessage", {event_id: "$other:x"})
    expect(await stateOf("m.room.pinned_events")).toEqual({pinned: [event_id]})
    await call("setTopic", {topic: "News"})
    expect(await stateOf("m.room.topic")).toEqual({topic: "News"})
    await call("setPowerLevel", {user_id: ann.id, level: 50})
    expect(await stateOf("m.room.power_levels")).toMatchObject({users: {[bot.id]: 100, [ann.id]: 50}})
    const memberOf = async () => (await call("getState", {type: "m.room.member", state_key: ann.id})) as object
    await call("invite", {user_id: ann.id})
    expect(await memberOf()).toMatchObject({membership: "invite"})
    await call("ban", {user_id: ann.id, reason: "spam"})
    expect(await memberOf()).toMatchObject({membership: "ban", reason: "spam"})
    await call("unban", {user_id: ann.id})
    expect(await memberOf()).toMatchObject({membership: "leave"})
    await call("redact", {event_id}, "row-2")
    expect(await call("getEvent", {event_id})).toMatchObject({content: {}})
    await expect(call("pinMessage", {})).rejects.toMatchObject({reason: "params_invalid"})
    await expect(call("invite", {user_id: "@nobody"})).rejects.toMatchObject({reason: expect.any(String)})
  })
})

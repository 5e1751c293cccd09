import {expect, test} from "vitest"
import {messageAfter, posting, sendTo, shared, svc, until, usuallyOn} from "../../support/host/host.ts"
import {endpointsOf} from "../../support/platforms/endpoint.ts"
import {describeWithDendrite, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {eventsOf, startMatrixHost, untilEndpoint, untilEvent} from "../../support/platforms/matrix/host.ts"
import {Person} from "../../support/platforms/matrix/person.ts"

const runtime = usuallyOn("node22")

describeWithDendrite("a bot on Matrix", () => {
  const place = shared(async () => {
    const homeserver = await startDendrite()
    const people = ["bot", "ann", "bob"].map(name => Person.register(homeserver, name))
    const [bot, ann, bob] = (await Promise.all(people)) as [Person, Person, Person]
    const room = await ann.createRoom({
      preset: "public_chat",
      name: "Lounge",
      power_level_content_override: {users: {[ann.id]: 100, [bot.id]: 50}},
    })
    await bot.join(room)
    await bob.join(room)
    const host = await startMatrixHost([{id: "main", homeserver: homeserver.url, accessToken: "${BOT_TOKEN}"}], {
      runtime,
      env: {BOT_TOKEN: bot.token},
    })
    await untilEndpoint(host, "main", "online")
    return {homeserver, bot, ann, bob, room, host}
  })
  /** The bot's messages in a room, once there are `count` of them. */
  const answersIn = (room: string, count: number) =>
    until(`${count} answers`, async () => {
      const heard = await place().ann.heard(room, place().bot.id)
      return heard.length >= count && heard
    })

  test("reads markup, mentions and replies, and sends markup", async () => {
    const {ann, bot, room, host} = place()
    const pill = `<a href="https://matrix.to/#/${encodeURIComponent(bot.id)}">The bot</a>`
    const said = await ann.send(room, {
      msgtype: "m.text",
      body: "The bot: greet <Ada>",
      format: "org.matrix.custom.html",
      formatted_body: `${pill}: greet <strong>&lt;Ada&gt;</strong><script>x</script>`,
    })
    expect(await untilEvent(host, "message-created", said)).toMatchObject({
      user: {id: ann.id},
      channel: {id: room, type: 0, name: "Lounge"},
      guild: {id: room, name: "Lounge"},
      message: {content: expect.stringMatching(/^<at id="@bot.*"\/>: greet <b>&lt;Ada&gt;<\/b>$/)},
    })
    const before = (await answersIn(room, 1)).at(-1)
    expect(before).toMatchObject({body: "hello <Ada>", formatted_body: "hello <strong>&lt;Ada&gt;</strong>"})

    const reply = await ann.send(room, {
      msgtype: "m.text",
      body: `> <${bot.id}> hello\n\n!quote`,
      "m.relates_to": {"m.in_reply_to": {event_id: said}},
    })
    expect((await untilEvent(host, "message-created", reply)).message?.content).toBe(`<quote id="${said}"/>!quote`)
    const [, quoted] = await answersIn(room, 2)
    expect(quoted).toMatchObject({body: "as you say", "m.relates_to": {"m.in_reply_to": {event_id: reply}}})
    await ann.say(room, "!card")
    const [, , card] = await answersIn(room, 3)
    expect(card).toMatchObject({
      body: "- one\n- two <@43>\nBuild <7>\nIt failed.\nBranch: main",
      formatted_body: expect.stringMatching(
        /^<ul><li>one<\/li><li>two &lt;@43&gt;<\/li><\/ul><blockquote>.*<\/blockquote>$/,
      ),
    })
  })

  test("tells the roles of users by the room's power levels, also when these change", async () => {
    const {ann, bob, bot, room, host} = place()
    const rolesOf = async (who: Person, text: string) =>
      (await untilEvent(host, "message-created", await who.say(room, text))).user?.roles
    expect([await rolesOf(ann, "as admin"), await rolesOf(bob, "as nobody")]).toEqual([
      ["admin", "moderator"],
      undefined,
    ])
    await ann.setState(room, "m.room.power_levels", {users: {[ann.id]: 100, [bot.id]: 50, [bob.id]: 50}})
    expect(await rolesOf(bob, "as moderator")).toEqual(["moderator"])
    await ann.setState(room, "m.room.power_levels", {users: {[ann.id]: 100, [bot.id]: 50}})
    expect(await rolesOf(bob, "as before")).toBeUndefined()
  })

  test("receives edits by the author only, deletions, and reactions being added and removed", async () => {
    const {ann, bob, room, host} = place()
    const said = await ann.say(room, "first")
    await untilEvent(host, "message-created", said)
    const replacing = {"m.relates_to": {rel_type: "m.replace", event_id: said}}
    const edit = (text: string) => ({
      msgtype: "m.text",
      body: `* ${text}`,
      "m.new_content": {msgtype: "m.text", body: text},
      ...replacing,
    })
    await bob.send(room, edit("forged"))
    await ann.send(room, edit("second"))
    expect((await untilEvent(host, "message-updated", said)).message?.content).toBe("second")

    const relation = {rel_type: "m.annotation", event_id: said, key: "👍"}
    const reaction = await bob.send(room, {"m.relates_to": relation}, "m.reaction")
    expect(await untilEvent(host, "reaction-added", said)).toMatchObject({user: {id: bob.id}, emoji: {id: "👍"}})
    await bob.redact(room, reaction)
    expect(await untilEvent(host, "reaction-removed", said)).toMatchObject({user: {id: bob.id}, emoji: {id: "👍"}})
    await ann.redact(room, said)
    expect(await untilEvent(host, "message-deleted", said)).toMatchObject({user: {id: ann.id}})
    expect((await eventsOf(host, room)).filter(({message}) => message?.id === said).map(({type}) => type)).toEqual([
      "message-created",
      "message-updated",
      "reaction-added",
      "reaction-removed",
      "message-deleted",
    ])
  })

  test("answers in the thread of the question, and reports members who join and leave", async () => {
    const {ann, bot, room, host, homeserver} = place()
    const root = await ann.say(room, "a thread")
    const thread = {rel_type: "m.thread", event_id: root, is_falling_back: true, "m.in_reply_to": {event_id: root}}
    const asked = await ann.send(room, {msgtype: "m.text", body: "!greet thread", "m.relates_to": thread})
    expect((await untilEvent(host, "message-created", asked)).channel?.id).toBe(`${room}/${root}`)
    await until("the answer in the thread", async () =>
      (await ann.heard(room, bot.id)).some(
        each => each.body === "hello thread" && each["m.relates_to"]?.event_id === root,
      ),
    )
    const carl = await Person.register(homeserver, "carl")
    await carl.join(room)
    await ann.ask("POST", `/client/v3/rooms/${encodeURIComponent(room)}/kick`, {user_id: carl.id})
    await until("both events of the member", async () => {
      const types = (await eventsOf(host)).filter(({user}) => user?.id === carl.id).map(({type}) => type)
      return types.join() === "guild-member-added,guild-member-removed"
    })
  })

  test("sends one file with its text as caption, several files as separate events, and bans permanently", async () => {
    const {ann, bob, bot, room, host} = place()
    const headers = {"satori-platform": "matrix", "satori-user-id": bot.id}
    const satori = async (method: string, body: object) => {
      const init = posting(body, headers)
      const answer = await host.fetch(`/satori/v1/${method}`, init)
      expect(answer.status, await answer.clone().text()).toBe(200)
    }
    const upload = async (name: string, type: string) => {
      const form = new FormData()
      form.append("file", new Blob([name], {type}), name)
      const answer = await host.fetch("/satori/v1/upload.create", {method: "POST", headers, body: form})
      return ((await answer.json()) as {file: string}).file
    }
    const [cat, plan] = [await upload("cat.png", "image/png"), await upload("plan.pdf", "application/pdf")]
    const before = (await ann.heard(room, bot.id)).length
    await satori("message.create", {channel_id: room, content: `look: <img src="${cat}"/>`})
    await satori("message.create", {channel_id: room, content: `both<img src="${cat}"/><file src="${plan}"/>`})
    expect((await answersIn(room, before + 4)).slice(before)).toMatchObject([
      {msgtype: "m.image", body: "look: ", filename: "cat.png", info: {mimetype: "image/png", size: 7}},
      {msgtype: "m.text", body: "both"},
      {msgtype: "m.image", body: "cat.png", filename: "cat.png"},
      {msgtype: "m.file", body: "plan.pdf", filename: "plan.pdf"},
    ])
    await satori("guild.member.kick", {guild_id: room, user_id: bob.id, permanent: true})
    const state = `/client/v3/rooms/${encodeURIComponent(room)}/state/m.room.member/${encodeURIComponent(bob.id)}`
    await until("the ban", async () => (await ann.ask("GET", state)).membership === "ban")
  })

  test("sends to an alias, and says why a room rejects a message", async () => {
    const {ann, bot, room, host, homeserver} = place()
    const alias = `#lounge:${homeserver.name}`
    await ann.ask("PUT", `/client/v3/directory/room/${encodeURIComponent(alias)}`, {room_id: room})
    const send = async (channel: string) =>
      messageAfter(host, await sendTo(host, "matrix~main", channel, `to ${channel}`))
    expect(await send(alias)).toMatchObject({state: "sent"})
    expect((await ann.heard(room, bot.id)).at(-1).body).toBe(`to ${alias}`)

    const encrypted = await ann.createRoom({preset: "public_chat"})
    await ann.setState(encrypted, "m.room.encryption", {algorithm: "m.megolm.v1.aes-sha2"})
    await bot.join(encrypted)
    for (let n = 0; n < 2; n++) await ann.send(encrypted, {algorithm: "m.megolm.v1.aes-sha2"}, "m.room.encrypted")
    expect(await send(encrypted)).toMatchObject({state: "failed", reason: "encrypted"})
    expect(await ann.heard(encrypted, bot.id)).toEqual([])
    expect(await send(`#nowhere:${homeserver.name}`)).toMatchObject({state: "failed", reason: "target_unknown"})
    const silent = await ann.createRoom({preset: "public_chat", power_level_content_override: {events_default: 50}})
    await bot.join(silent)
    expect(await send(silent)).toMatchObject({state: "failed", reason: "forbidden"})
    const unreadable = async () =>
      (await endpointsOf(host)).flatMap(({unreadable = []}) => unreadable.map(({place}) => place))
    await until("the encrypted room to be unreadable", async () => (await unreadable()).includes(encrypted))

    const {code, stdout} = await svc(runtime, host.project, ["adapter", "check", "matrix~main"])
    expect(code).toBe(1)
    expect(stdout).toContain(`ok      credentials: logged in as ${bot.id}\n`)
    expect(stdout).toContain(`ERROR   room ${encrypted}: it is encrypted`)
    expect(stdout).toMatch(new RegExp(`^ERROR .* ${silent}: .*\\b0; 50 `, "m"))
    expect(stdout).toMatch(/^ok .* Lounge\b/m)
    await bot.ask("POST", `/client/v3/rooms/${encodeURIComponent(encrypted)}/leave`, {})
    await until("the encrypted room to be left", async () => !(await unreadable()).includes(encrypted))
  })
})

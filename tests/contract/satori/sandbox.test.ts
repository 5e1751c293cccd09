import {describe, expect, test} from "vitest"
import {bunOr, expectProblem, posting, shared, startHost, until} from "../../support/host/host.ts"
import {untilLoggedIn} from "../../support/satori/satori.ts"

const bot = {id: "bot", name: "bot", is_bot: true}

describe.each(bunOr("node22"))("the sandbox, called over Satori, on $name,", runtime => {
  /** Each test has its own channel and user. */
  const host = shared(async () => {
    const started = await startHost({
      runtime,
      config: "http: {port: 0}\nplugins: {sandbox: {}}\n",
      args: ["--no-watch"],
    })
    await untilLoggedIn(started)
    return started
  })
  const ask = (method: string, body: object) =>
    host().fetch(`/satori/v1/${method}`, posting(body, {"satori-platform": "sandbox", "satori-user-id": "bot"}))
  const answer = async (method: string, body: object = {guild_id: "sandbox"}) => (await ask(method, body)).json()
  const refusal = async (method: string, body: object) => {
    const {detail} = await expectProblem(await ask(method, body), 502, "platform_failed")
    return detail
  }
  const said = {text: "good morning", group: true}
  const say = (user: string, channel: string) =>
    host().plugin<{id: string}>("/api/plugins/sandbox/messages", {...said, user, channel})
  const sayInVain = async (user: string, channel: string) => {
    const answered = await host().fetch("/api/plugins/sandbox/messages", posting({...said, user, channel}))
    const {detail} = await expectProblem(answered, 409, "conflict")
    return detail
  }

  test("has a guild with the channels and members it has heard of", async () => {
    const {id} = await say("eve", "team")
    const guild = {id: "sandbox", name: "Sandbox"}
    expect(await answer("guild.list", {})).toEqual({data: [guild]})
    expect(await answer("guild.get")).toEqual(guild)
    expect((await answer("channel.list")).data).toContainEqual({id: "team", type: 0, name: "team"})
    const eve = {user: {id: "eve", name: "eve"}, joined_at: expect.any(Number), roles: []}
    expect((await answer("guild.member.list")).data).toEqual(expect.arrayContaining([{...eve, user: bot}, eve]))
    expect(await answer("guild.member.get", {guild_id: "sandbox", user_id: "eve"})).toEqual(eve)
    expect(await answer("user.get", {user_id: "eve"})).toEqual({id: "eve", name: "eve"})
    expect(await answer("message.get", {channel_id: "team", message_id: id})).toMatchObject({content: "good morning"})
    const {items} = await host().get("/api/inbox", {limit: 1})
    expect(items[0]?.event.guild).toEqual(guild)
  })

  test("creates, renames and deletes channels", async () => {
    await say("kim", "hall")
    expect(await answer("channel.create", {guild_id: "sandbox", data: {name: "hall"}})).toMatchObject({id: "hall-2"})
    await answer("channel.update", {channel_id: "hall-2", data: {name: "news"}})
    expect((await answer("channel.list")).data).toContainEqual({id: "hall-2", type: 0, name: "news"})
    await answer("channel.delete", {channel_id: "hall-2"})
    expect(await refusal("channel.mute", {channel_id: "hall-2", duration: 0})).toMatch(/\bchannel hall-2\b/)
  })

  test("creates, renames, assigns, removes and deletes roles", async () => {
    await say("sam", "hall")
    const sam = {guild_id: "sandbox", user_id: "sam"}
    const role = {guild_id: "sandbox", role_id: "helper"}
    expect(await answer("guild.role.create", {guild_id: "sandbox", role: {name: "helper"}})).toMatchObject({
      id: "helper",
    })
    await answer("guild.member.role.set", {...sam, ...role})
    await answer("guild.role.update", {...role, role: {name: "Helper"}})
    const roles = {data: [{id: "helper", name: "Helper"}]}
    expect(await answer("guild.role.list")).toEqual(roles)
    expect(await answer("guild.member.role.list", sam)).toEqual(roles)
    await answer("guild.member.role.unset", {...sam, ...role})
    expect(await answer("guild.member.role.list", sam)).toEqual({data: []})
    await answer("guild.role.delete", role)
    expect(await answer("guild.role.list")).toEqual({data: []})
  })

  test("blocks messages from muted or removed members, and in a muted channel", async () => {
    await say("max", "den")
    const max = {guild_id: "sandbox", user_id: "max"}
    await answer("channel.mute", {channel_id: "den", duration: 60_000})
    expect(await sayInVain("ann", "den")).toContain("den is muted")
    await answer("channel.mute", {channel_id: "den", duration: 0})
    await answer("guild.member.mute", {...max, duration: 60_000})
    expect(await sayInVain("max", "den")).toContain("max is muted")
    await answer("guild.member.mute", {...max, duration: 0})
    await answer("guild.member.kick", max)
    expect(await refusal("guild.member.get", max)).toMatch(/\bmember max\b/)
    await say("max", "den")
    await answer("guild.member.kick", {...max, permanent: true})
    expect(await sayInVain("max", "den")).toMatch(/\bmax was banned\b/)
  })

  test("lists and clears the bot's reactions", async () => {
    const {id} = await say("eve", "team")
    const about = {channel_id: "team", message_id: id, emoji_id: "+1"}
    await answer("reaction.create", about)
    await until("the reaction", async () => (await answer("reaction.list", about)).data.length === 1)
    expect(await answer("reaction.list", about)).toEqual({data: [bot]})
    await answer("reaction.clear", about)
    expect(await answer("reaction.list", about)).toEqual({data: []})
  })

  test("refuses an incomplete call, and names the missing part", async () => {
    expect(await refusal("guild.member.kick", {guild_id: "sandbox"})).toContain("the sandbox needs user_id, a text")
    expect(await refusal("guild.role.list", {guild_id: "other"})).toContain('the sandbox needs guild_id "sandbox"')
    await expectProblem(await ask("friend.list", {}), 501, "not_implemented")
  })
})

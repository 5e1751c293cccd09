import {describe, expect, test} from "vitest"
import {bunOr, expectProblem, pluginWith, posting, startHost, type TestHost} from "../../support/host/host.ts"
import {untilLoggedIn} from "../../support/satori/satori.ts"

/** A platform with guilds. It records its calls, and rejects every call about `nobody`. */
const guildPlugin = pluginWith(`
    const asked: unknown[] = []
    plugin.adapter("club", {
      history: "none",
      features: ["edit", "delete", "unreact", "open", "history", "guild.member.list", "guild.member.kick", "guild.role.create", "channel.get"],
      limits: {text: 10},
      open: async (_, endpoint) => {
        endpoint.login({platform: "club", user: {id: "bot"}, status: 1})
        return {
          send: async ({id, content}) => {
            asked.push(["send", content.join("")])
            return {ids: ["p-" + id]}
          },
          edit: async ({message, content}) => void asked.push(["edit", message.slice(0, 2), content.join("")]),
          delete: async ({message}) => void asked.push(["delete", message.slice(0, 2)]),
          react: async ({message, emoji}) => void asked.push(["react", message, emoji]),
          unreact: async ({message, emoji}) => void asked.push(["unreact", message, emoji]),
          open: async user => ({id: "dm-" + user, type: 1}),
          history: async ({before, limit}) => ({
            events: ["m1", "m2"].map(id => ({id, type: "message-created", timestamp: 5, message: {id, content: "about " + before + " " + limit}})),
            more: true,
          }),
          call: async (method, params) => {
            if (params.user_id === "nobody") throw refused("there is no nobody", {reason: "user_unknown", remediation: "Name somebody."})
            asked.push([method, params])
            if (method === "guild.member.list") return {data: [{user: {id: "ann"}}]}
            if (method === "channel.get") return {id: params.channel_id, type: 0, name: "hall"}
            return method === "guild.role.create" ? {id: "r1"} : undefined
          },
        }
      },
    })
    plugin.route({method: "GET", path: "/asked", scope: "full", summary: "asked", handle: (_, call) => call.json(Type.Object({}), {asked})})`)

const config = "http: {port: 0}\nplugins:\n  club: {}\n"

describe.each(bunOr("node24"))("a method in an endpoint's features, on $name,", runtime => {
  const start = async () => {
    const host = await startHost({runtime, config, plugins: {club: guildPlugin}, args: ["--no-watch"]})
    await untilLoggedIn(host)
    return host
  }
  const ask = (host: TestHost, method: string, body: unknown) =>
    host.fetch(`/satori/v1/${method}`, posting(body, {"satori-platform": "club", "satori-user-id": "bot"}))
  const answer = async (host: TestHost, method: string, body: unknown) => (await ask(host, method, body)).json()
  const asked = async (host: TestHost) => (await host.plugin<{asked: unknown[]}>("/api/plugins/club/asked")).asked

  test("is answered by the platform: reads at once, acts through the outbox", async () => {
    const host = await start()
    const {logins} = await host.plugin<{logins: {features: string[]}[]}>("/satori/v1/meta", {})
    for (const feature of ["message.update", "message.delete", "message.list", "reaction.delete", "guild.member.kick"])
      expect(logins[0]?.features).toContain(feature)
    expect(await answer(host, "guild.member.list", {guild_id: "g"})).toEqual({data: [{user: {id: "ann"}}]})
    expect(await answer(host, "channel.get", {channel_id: "c"})).toEqual({id: "c", type: 0, name: "hall"})
    expect(await answer(host, "user.channel.create", {user_id: "ann"})).toEqual({id: "dm-ann", type: 1})
    expect(await answer(host, "message.list", {channel_id: "c", next: "m9", limit: 2})).toMatchObject({
      data: [{id: "m1", content: "about m9 2", created_at: 5, channel: {id: "c"}}, {id: "m2"}],
      next: "m1",
    })
    const [{id}] = await answer(host, "message.create", {channel_id: "c", content: "first one second one"})
    expect(await answer(host, "message.update", {channel_id: "c", message_id: id, content: "better"})).toEqual({})
    expect(await answer(host, "message.delete", {channel_id: "c", message_id: id})).toEqual({})
    expect(await answer(host, "reaction.delete", {channel_id: "c", message_id: "m1", emoji_id: "+"})).toEqual({})
    expect(await answer(host, "guild.member.kick", {guild_id: "g", user_id: "ann"})).toEqual({})
    expect(await answer(host, "guild.role.create", {guild_id: "g", role: {name: "Guest"}})).toEqual({
      id: "r1",
      name: "Guest",
    })
    expect((await asked(host)).slice(2)).toEqual([
      ["send", "first one "],
      ["send", "second one"],
      ["edit", "p-", "better"],
      ["delete", "p-"],
      ["delete", "p-"],
      ["unreact", "m1", "+"],
      ["guild.member.kick", {guild_id: "g", user_id: "ann"}],
      ["guild.role.create", {guild_id: "g", role: {name: "Guest"}}],
    ])
  })

  test("reports why the platform rejected it, or that the platform lacks it", async () => {
    const host = await start()
    const refused = await ask(host, "guild.member.list", {guild_id: "g", user_id: "nobody"})
    expect(await expectProblem(refused, 502, "platform_failed")).toMatchObject({detail: "there is no nobody"})
    const kicked = await ask(host, "guild.member.kick", {guild_id: "g", user_id: "nobody"})
    expect(await expectProblem(kicked, 502, "platform_failed")).toMatchObject({
      detail: expect.stringContaining("failed: there is no nobody"),
    })
    await expectProblem(await ask(host, "guild.member.mute", {guild_id: "g"}), 501, "not_implemented")
    // The sender implements it, but only the adapter's declaration counts.
    const reaction = {channel_id: "c", message_id: "m1", emoji_id: "+"}
    await expectProblem(await ask(host, "reaction.create", reaction), 501, "not_implemented")
  })
})

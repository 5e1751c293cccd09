import {expect, test} from "vitest"
import {createCall as createDiscordCall} from "../../../server/adapters/discord/acts/methods.ts"
import {routes} from "../../../server/adapters/discord/acts/routes.ts"
import {createApi} from "../../../server/adapters/discord/api/api.ts"
import {ownMethodNames} from "../../../server/adapters/matrix/own-methods.ts"
import {askByHttp} from "../../../server/adapters/onebot/http.ts"
import {createCall as createOneBotCall} from "../../../server/adapters/onebot/methods.ts"
import {createMembers} from "../../../server/adapters/slack/acts/members.ts"
import {openApi} from "../../../server/adapters/slack/api/api.ts"
import {createBot} from "../../../server/adapters/telegram/api/bot.ts"
import {acting} from "../../../server/adapters/telegram/api/failures.ts"
import {Places} from "../../../server/adapters/telegram/api/place.ts"
import {callBotApi} from "../../../server/adapters/telegram/outgoing/bot-api.ts"
import {ownMethodNames as xmppMethodNames} from "../../../server/adapters/xmpp/own-methods.ts"
import {postponementOf} from "../../../shared/sdk/adapter/refusal.ts"
import {platformMethods} from "../../../shared/sdk/platform/names.ts"
import {Secret} from "../../../shared/sdk/sdk.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const {signal} = new AbortController()

/** A server that answers every request in the same way. */
const startNoting = async (body: unknown = {}, status = 200) => {
  const heard: {method: string | undefined; body: string}[] = []
  const server = await startStandIn(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    heard.push({method: request.method, body: Buffer.concat(parts).toString()})
    response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(body))
  })
  return {
    ...server,
    heard: () => heard.map(({method, body: sent}, index) => [method, server.requests[index]?.path, sent]),
  }
}

const listOf = (platform: Parameters<typeof platformMethods>[0]) => {
  const {reads = [], sets = [], acts = []} = platformMethods(platform)
  return {reads, sets, acts, all: [...reads, ...sets, ...acts]}
}

test("each listed method is there once, and none ends the connection or shows a token", () => {
  for (const platform of ["telegram", "discord", "matrix", "slack", "onebot", "xmpp"] as const) {
    const {all} = listOf(platform)
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter(name => /^(getUpdates|logOut|close$|auth\.|apps\.|get_c)|[wW]ebhook|Token/.test(name))).toEqual(
      [],
    )
  }
  const {all, reads, acts} = listOf("discord")
  expect([...all].sort()).toEqual(Object.keys(routes).sort())
  const verbs = (names: readonly string[]) => [...new Set(names.map(name => routes[name]?.split(" ")[0]))]
  expect([verbs(reads), verbs(acts)]).toEqual([["GET"], ["POST"]])
  expect([...listOf("matrix").all].sort()).toEqual([...ownMethodNames].sort())
  expect([...listOf("xmpp").all].sort()).toEqual([...xmppMethodNames].sort())
})

test("Telegram's methods take a channel's id for chat and topic, and follow a group that moved", async () => {
  const call = async (body: unknown, status = 200) => {
    const server = await startNoting(body, status)
    const load = async <L>(): Promise<L> => (await import("grammy")) as L
    const bot = await createBot({token: new Secret("9:x"), apiRoot: server.url}, {load})
    const act = (params: object) =>
      acting(() => callBotApi(bot, new Places(), "createForumTopic", {...params}, signal)).catch(error => error)
    return {act, heard: () => server.heard().map(([, path, sent]) => [path, JSON.parse(String(sent))])}
  }
  const good = await call({ok: true, result: {message_thread_id: 5}})
  expect(await good.act({chat_id: "-100:7", name: "News"})).toEqual({message_thread_id: 5})
  expect(good.heard()).toEqual([["/bot9:x/createForumTopic", {chat_id: -100, message_thread_id: 7, name: "News"}]])
  const parameters = {migrate_to_chat_id: -1009}
  const moved = await call({ok: false, error_code: 400, description: "upgraded", parameters})
  await moved.act({chat_id: -5})
  expect(moved.heard().map(([, {chat_id}]) => chat_id)).toEqual([-5, -1009])
  const limited = await call({ok: false, error_code: 429, description: "slow", parameters: {retry_after: 3}})
  expect(postponementOf(await limited.act({}))).toBe(3000)
  const older = await call({ok: false, error_code: 404, description: "Not Found"})
  expect(await older.act({})).toMatchObject({reason: "unsupported"})
})

test("Discord's methods fill the route, and send the rest as body or query", async () => {
  const server = await startNoting({id: "9"})
  const api = createApi(await import("@discordjs/rest"), {token: new Secret("t"), api: server.url})
  const call = createDiscordCall(api)
  expect(await call("discord/createThread", {channel_id: "1", name: "Talk", type: 11}, signal)).toEqual({id: "9"})
  await call("discord/pinMessage", {channel_id: "1", message_id: "2"}, signal)
  await call("discord/deleteInvite", {code: "aB-1"}, signal)
  await call("discord/listBans", {guild_id: "3", limit: 10}, signal)
  expect(server.heard()).toEqual([
    ["POST", "/v10/channels/1/threads", '{"name":"Talk","type":11}'],
    ["PUT", "/v10/channels/1/messages/pins/2", "{}"],
    ["DELETE", "/v10/invites/aB-1", ""],
    ["GET", "/v10/guilds/3/bans?limit=10", ""],
  ])
  for (const wrong of [{channel_id: "1", message_id: "2/../3"}, {channel_id: 1, message_id: "2"}, {}])
    await expect(call("discord/pinMessage", wrong, signal)).rejects.toMatchObject({reason: "target_invalid"})
  await expect(call("discord/getInvite", {code: "../x"}, signal)).rejects.toMatchObject({reason: "request_invalid"})
  api.close()
})

test("Slack's methods and OneBot's actions are passed on by name", async () => {
  const slack = await startNoting({ok: true, items: [1]})
  const account = {botToken: new Secret("xoxb-1"), api: slack.url}
  const ask = await openApi(account, async <L>() => (await import("@slack/web-api")) as L)
  const {call} = createMembers(ask)
  expect(await call("slack/pins.add", {channel: "C1", timestamp: "1.2"}, signal)).toMatchObject({items: [1]})
  expect(slack.heard()).toEqual([["POST", "/pins.add", "channel=C1&timestamp=1.2"]])

  const onebot = await startNoting({status: "ok", retcode: 0, data: {n: 1}})
  const oneBotCall = createOneBotCall(askByHttp({url: onebot.url, accessToken: undefined}))
  expect(await oneBotCall("onebot/set_essence_msg", {message_id: "42", note: "7"}, signal)).toEqual({n: 1})
  expect(onebot.heard()).toEqual([["POST", "/set_essence_msg", '{"message_id":42,"note":"7"}']])
})

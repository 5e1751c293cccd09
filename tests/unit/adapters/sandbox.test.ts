import {expect, test} from "vitest"
import {features} from "../../../server/adapters/sandbox/acts.ts"
import {Guild} from "../../../server/adapters/sandbox/guild.ts"
import {callMethod} from "../../../server/adapters/sandbox/methods.ts"
import {Room, type RoomChange} from "../../../server/adapters/sandbox/room.ts"
import {senderFeatures} from "../../../shared/sdk/adapter/sender.ts"
import {methodNames} from "../../../shared/sdk/content/satori-methods.ts"

const place = () => ({guild: new Guild(), room: new Room()})

test("the sandbox has every Satori act and method except friends, requests and the Host's own", () => {
  // The sandbox is inside the Host, so there is no place to upload a file to.
  expect(features).toEqual(expect.arrayContaining(senderFeatures.filter(act => act !== "upload")))
  const missing = methodNames.filter(method => !features.some(feature => feature === method))
  const ofTheHost = ["channel.get", "guild.get", "message.get", "user.get"]
  expect(missing.filter(method => !/^friend\.|\.approve$/.test(method)).sort()).toEqual(ofTheHost)
})

test("a second attempt of the same act makes no second channel or role", () => {
  const {guild, room} = place()
  const twice = (method: string, params: Readonly<Record<string, unknown>>, row: string) =>
    [1, 2].map(() => callMethod(method, params, {guild, room, row}))
  expect(twice("channel.create", {data: {name: "news"}}, "a")).toEqual([
    {id: "news", type: 0, name: "news"},
    {id: "news", type: 0, name: "news"},
  ])
  expect(twice("guild.role.create", {role: {name: "helper"}}, "b")).toEqual([
    {id: "helper", name: "helper"},
    {id: "helper", name: "helper"},
  ])
  expect(guild.channels()).toHaveLength(1)
  expect(guild.roles()).toHaveLength(1)
})

test("a listener to any channel sees the bot's changes to the guild, but none of its reads", () => {
  const {guild, room} = place()
  const heard: RoomChange[] = []
  room.listen("team", change => heard.push(change))
  const call = (method: string, params: Readonly<Record<string, unknown>>) =>
    callMethod(method, params, {guild, room, row: method})
  call("guild.member.mute", {user_id: "eve", duration: 90_000})
  call("guild.member.list", {})
  call("guild.member.kick", {user_id: "eve", permanent: true})
  expect(heard).toEqual([
    {change: "moderated", what: "mutes eve for 90 s"},
    {change: "moderated", what: "bans eve"},
  ])
})

test("a rejected call is not shown", () => {
  const {guild, room} = place()
  const heard: RoomChange[] = []
  room.listen("team", change => heard.push(change))
  expect(() => callMethod("guild.member.role.set", {user_id: "eve", role_id: "x"}, {guild, room, row: "a"})).toThrow(
    /\bmember eve$/,
  )
  expect(() => callMethod("guild.member.mute", {user_id: "eve"}, {guild, room, row: "b"})).toThrow(/duration/)
  expect(heard).toEqual([])
})

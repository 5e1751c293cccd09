import {expect, test} from "vitest"
import {channelOfPress} from "../../../server/adapters/slack/api/place.ts"
import {Places} from "../../../server/adapters/telegram/api/place.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"

const press = (id: string, name: string) => ({
  id: "1",
  type: "interaction/button",
  channel: {id, name, type: id.startsWith("D") ? channelType.direct : channelType.text},
  user: {id: "U1"},
})

const telegram = new Places()
telegram.move(-5, -1001)
telegram.learn({id: -1001, username: "Team_News"})
telegram.learn({id: -1002})

test.each([
  ["the id that the group had before", "-5", "-1001", "-1001"],
  ["the public name in other capitals", "@team_NEWS", "-1001", "-1001"],
  ["a topic that Telegram does not name", "-1001:7", "-1001", "-1001:7"],
  ["a topic by the public name", "@team_news:7", "-1001", "-1001:7"],
  ["the whole group, pressed in a topic", "-1001", "-1001:7", "-1001"],
  ["another group", "-1001", "-1002", undefined],
  ["a group that begins like it", "-100", "-1001", undefined],
  ["another group's former id", "-5", "-1002", undefined],
  ["another group's name", "@team_news", "-1002", undefined],
  ["a name that nobody has", "@other", "-1002", undefined],
  ["no channel of Telegram", "", "-1002", undefined],
])("a press on Telegram of a message sent to %s", (_, sent, channel, expected) => {
  expect(telegram.channelOf(sent, press(channel, "Team"))).toBe(expected)
})

test.each([
  ["a channel, in the thread of the quoted message", "C1", "C1:1.5", "C1:1.5"],
  ["the channel's name", "#team", "C1", "C1"],
  ["the user", "U1", "D1", "D1"],
  ["another user", "U2", "D1", undefined],
  ["the user, pressed in a channel", "U1", "C1", undefined],
  ["another channel", "C2", "C1", undefined],
  ["another thread", "C1:1.4", "C1:1.5", undefined],
  ["a thread, pressed in its channel", "C1:1.4", "C1", undefined],
  ["another channel's name", "#others", "C1", undefined],
])("a press on Slack of a message sent to %s", (_, sent, channel, expected) => {
  expect(channelOfPress(sent, press(channel, "team"))).toBe(expected)
})

import {FakeSlack} from "../../../server/testing/platforms/slack/slack.ts"
import {bot, tokens} from "../../../server/testing/platforms/slack/world.ts"
import {until} from "../host/process.ts"
import {whenOver} from "../host/shared.ts"
import {startDiscord, startTelegram} from "../platforms/fakes.ts"

/** A fake platform, and what Annabel does there in each step of the script. */
export interface RecordedFake {
  readonly account: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly acts: Readonly<Record<string, () => unknown>>
}

const words = {first: "hello from the sepulchre", second: "hello, angels", team: "Kingdom by the sea"} as const
const name = "annabel_by_the_sea"
const wind = {name: "wind.txt", type: "text/plain", bytes: Buffer.from("a wind blew out of a cloud, chilling")}

/** Everything in the traffic that belongs to Annabel. */
export const personal =
  "sepulchre angels Kingdom annabel Annabel wind.txt chilling 4242424242 U0ANN SEASIDE C0ROOM 710017100171".split(" ")

const onTelegram = async (): Promise<RecordedFake> => {
  const token = "999:AbCdEfGh-the-right-token"
  const fake = await startTelegram({token})
  const ann = {id: 4_242_424_242, is_bot: false, first_name: "Annabel", last_name: "Lee", username: name}
  const team = {id: -1_007_100_171_001, type: "supergroup", title: words.team}
  const me = {id: 999, is_bot: true, first_name: "Bot", username: "test_bot"}
  const now = () => Math.floor(Date.now() / 1000)
  const first = {
    message_id: 71_001,
    chat: {id: ann.id, type: "private", first_name: ann.first_name, username: name},
    from: ann,
    text: words.first,
  }
  return {
    account: {apiRoot: fake.url},
    secrets: {token},
    acts: {
      hello: () => fake.push({message: {...first, date: now()}}),
      edit: () => fake.push({edited_message: {...first, date: now(), edit_date: now(), text: words.second}}),
      press: async () => {
        await until("the bot's button", () => fake.sent().some(({keyboard}) => keyboard.length > 0))
        fake.press("Press")
      },
      file: () => fake.sayFile(wind),
      join: () => {
        const [old_chat_member, new_chat_member] = ["left", "member"].map(status => ({user: me, status}))
        return fake.push({my_chat_member: {chat: team, from: ann, date: now(), old_chat_member, new_chat_member}})
      },
      group: () => fake.push({message: {message_id: 71_002, date: now(), chat: team, from: ann, text: words.second}}),
      react: () => {
        const at = {chat: team, message_id: 71_002, user: ann, date: now()}
        return fake.push({message_reaction: {...at, old_reaction: [], new_reaction: [{type: "emoji", emoji: "👍"}]}})
      },
    },
  }
}

const onDiscord = async (): Promise<RecordedFake> => {
  const fake = await startDiscord()
  const author = {id: "4242424242", username: name}
  let last = ""
  const write = (channel: string, content: string, files: readonly (typeof wind & {readonly id: string})[] = []) => {
    last = fake.write({channel, content, author, files}).id
  }
  return {
    account: {api: fake.url},
    secrets: {token: "bot-999.the-right-token"},
    acts: {
      hello: () => write(author.id, words.first),
      edit: () => fake.edit(last, words.second),
      press: async () => {
        await until("the bot's button", () => fake.shown().some(({components}) => components.length > 0))
        fake.press("Press")
      },
      file: () => write(author.id, "", [{...wind, id: fake.world.makeId()}]),
      join: () => fake.dispatch("GUILD_CREATE", {id: "7100171001710017", name: words.team, channels: [], threads: []}),
      group: () => write("600", words.second),
      react: () => fake.react(last, "👍"),
    },
  }
}

const onSlack = async (): Promise<RecordedFake> => {
  const fake = await FakeSlack.start(whenOver)
  // The fake knows this user and this channel.
  const [user, direct, channel] = ["U0ANN", "D0SEASIDE", "C0ROOM"]
  const said = fake.add(words.first, {user, channel: direct})
  const changed = {...said, text: words.second, edited: {user, ts: fake.world.ts()}}
  const later = fake.add(words.second, {user, channel})
  return {
    account: {api: `${fake.url}/api/`},
    secrets: {botToken: tokens.bot, appToken: tokens.app},
    acts: {
      hello: () => fake.tell({...said, channel_type: "im"}),
      edit: () =>
        fake.tell({
          type: "message",
          subtype: "message_changed",
          channel: direct,
          channel_type: "im",
          message: changed,
          previous_message: said,
        }),
      press: async () => {
        await until("the bot's button", () =>
          fake.own().some(({blocks}) => blocks.some(({type}) => type === "actions")),
        )
        await fake.press("Press", {user})
      },
      file: () => {
        const file = fake.file(wind.name, wind.type, wind.bytes)
        return fake.tell({
          ...fake.add("", {user, channel: direct, subtype: "file_share", files: [file]}),
          channel_type: "im",
        })
      },
      join: () => fake.tell({type: "member_joined_channel", user: bot.user, channel, channel_type: "C"}),
      group: () => fake.tell(later),
      react: () =>
        fake.tell({type: "reaction_added", user, reaction: "+1", item: {type: "message", channel, ts: later.ts}}),
    },
  }
}

/** Starts the fake of an adapter, with Annabel in it. */
export const annabelOn = {telegram: onTelegram, discord: onDiscord, slack: onSlack} as const

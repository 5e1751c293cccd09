import {until} from "../host/process.ts"
import type {TelegramFake} from "../platforms/fakes.ts"

const ann = {id: 42_424_242, is_bot: false, first_name: "Annabel", last_name: "Lee", username: "annabel_by_the_sea"}
const team = {id: -1_001_234_567_890, type: "supergroup", title: "Kingdom by the sea"}
const privately = {id: ann.id, type: "private", first_name: ann.first_name, username: ann.username}
const bot = {id: 999, is_bot: true, first_name: "Bot", username: "test_bot"}
const now = () => Math.floor(Date.now() / 1000)
const first = {message_id: 71_001, chat: privately, from: ann, text: "hello from the sepulchre"}

/** Everything in the traffic of `annabel` that belongs to a person. */
export const personal = [
  ...["42424242", "Annabel", "annabel_by_the_sea", "1234567890", "Kingdom", "sepulchre", "angels", "71001", "chilling"],
  ...["test_bot", "wind.txt"],
]

/** What a person does at the fake of Telegram for each step of the script. */
export const annabel: Readonly<Record<string, (fake: TelegramFake) => unknown>> = {
  hello: fake => fake.push({message: {...first, date: now()}}),
  edit: fake => fake.push({edited_message: {...first, date: now(), edit_date: now(), text: "hello, angels"}}),
  press: fake =>
    until("the bot's button", () => fake.sent().some(({keyboard}) => keyboard.length > 0)).then(() =>
      fake.press("Press"),
    ),
  file: fake => {
    const bytes = Buffer.from("a wind blew out of a cloud, chilling")
    return fake.sayFile({name: "wind.txt", type: "text/plain", bytes})
  },
  acts: () => {},
  join: fake =>
    fake.push({
      my_chat_member: {
        chat: team,
        from: ann,
        date: now(),
        old_chat_member: {user: bot, status: "left"},
        new_chat_member: {user: bot, status: "member"},
      },
    }),
  group: fake => fake.push({message: {message_id: 71_002, date: now(), chat: team, from: ann, text: "hello, angels"}}),
  react: fake => {
    const [old_reaction, new_reaction] = [[], [{type: "emoji", emoji: "👍"}]]
    const at = {chat: team, message_id: 71_002, user: ann, date: now()}
    return fake.push({message_reaction: {...at, old_reaction, new_reaction}})
  },
}

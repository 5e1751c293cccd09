import {pluginWith} from "../plugins/plugin-sources.ts"
import {koishiApp} from "./idiom-bots.ts"

/**
 * One bot in each framework, in the style of its documentation, to see what happens after a failure. It knows a few
 * words; `HANG` makes "slow" never end, and `BROKEN` breaks one plugin, or the file.
 */
const long = `"word ".repeat(1000)`

const grammy = `
import {Bot} from "grammy"
import {conversations, createConversation} from "@grammyjs/conversations"
if (process.env.BROKEN) throw new Error("broken")
const bot = new Bot("999:token", {client: {apiRoot: process.env.PLATFORM}})
bot.use(conversations())
bot.use(createConversation(async (conversation, ctx) => {
  await ctx.reply("name?")
  const answer = await conversation.waitFor("message:text")
  await answer.reply("hello " + answer.message.text)
}, "ask"))
bot.hears("hello", ctx => ctx.reply("hi"))
bot.hears("ask", ctx => ctx.conversation.enter("ask"))
bot.hears("slow", async ctx => {
  console.log("begun")
  if (process.env.HANG) await new Promise(() => {})
  await ctx.reply("slow done")
})
bot.hears("remind", ctx => {
  setTimeout(() => ctx.reply("tea"), 4000)
  return ctx.reply("set")
})
bot.hears("throw", () => { throw new Error("thrown") })
bot.hears("long", ctx => ctx.reply(${long}))
bot.hears("edit", async ctx => {
  const {message_id} = await ctx.reply("draft")
  await ctx.api.editMessageText(ctx.chat.id, message_id, "final")
})
console.log("connecting")
await bot.start()
`

const koishi = `${koishiApp}const account = {protocol: "polling", token: "999:token", endpoint: process.env.PLATFORM, pollingTimeout: 2000, retryInterval: 200, files: {}}
load("@satorijs/adapter-telegram", account)
const Config = Schema.object({greeting: Schema.string().required()})
if (process.env.BROKEN) app.plugin({name: "greet", Config, apply: () => console.log("greeted")}, {})
app.middleware(async (session, next) => {
  if (session.content === "hello") return "hi"
  if (session.content === "ask") {
    await session.send("name?")
    return "hello " + (await session.prompt())
  }
  if (session.content === "slow") {
    console.log("begun")
    if (process.env.HANG) await new Promise(() => {})
    return "slow done"
  }
  if (session.content === "remind") {
    app.setTimeout(() => session.send("tea"), 4000)
    return "set"
  }
  if (session.content === "throw") throw new Error("thrown")
  if (session.content === "long") return ${long}
  if (session.content === "edit") {
    const [id] = await session.send("draft")
    await session.bot.editMessage(session.channelId, id, "final")
    return
  }
  return next()
})
console.log("connecting")
await app.start()
`

const discord = `
import {Client, GatewayIntentBits, Partials} from "discord.js"
if (process.env.BROKEN) throw new Error("broken")
const {DirectMessages, MessageContent} = GatewayIntentBits
const client = new Client({intents: [DirectMessages, MessageContent], partials: [Partials.Channel], rest: {api: process.env.PLATFORM}})
client.on("messageCreate", async ({author, channel, content}) => {
  if (content === "hello") await channel.send("hi")
  if (content === "ask") {
    await channel.send("name?")
    const answers = await channel.awaitMessages({filter: each => each.author.id === author.id, max: 1})
    await channel.send("hello " + answers.first().content)
  }
  if (content === "slow") {
    console.log("begun")
    if (process.env.HANG) await new Promise(() => {})
    await channel.send("slow done")
  }
  if (content === "remind") {
    setTimeout(() => channel.send("tea"), 4000)
    await channel.send("set")
  }
  if (content === "throw") throw new Error("thrown")
  if (content === "long") await channel.send(${long})
  if (content === "edit") await (await channel.send("draft")).edit("final")
})
console.log("connecting")
await client.login("token")
`

export const failingBots: Readonly<Record<"koishi" | "grammy" | "discord", string>> = {koishi, grammy, discord}

/** The same bot as a plugin of svc. */
export const failingPlugin = pluginWith(
  `
    const tea = plugin.timer("tea", () => "tea")
    const name = plugin.prompt("name", ({answer}) => "hello " + answer)
    plugin.on("message-created", {name: "words"}, async session => {
      if (session.text === "hello") return "hi"
      if (session.text === "ask") await session.prompt(name, "name?")
      if (session.text === "slow") {
        console.log("begun")
        if (process.env.HANG) await new Promise(() => {})
        return "slow done"
      }
      if (session.text === "remind") {
        await session.setTimer(tea, {in: 4000})
        return "set"
      }
      if (session.text === "throw") throw new Error("thrown")
      if (session.text === "long") return ${long}
      if (session.text === "edit") await session.edit(await session.send("draft"), "final")
    })`,
  `config: Type.Object({greeting: Type.String()})`,
)

import {createServer} from "node:http"
import {answer, commands, load, PLATFORM, PORT} from "./setting.mjs"

// grammY's own webhook, which answers once the command has run and the Bot API has accepted its reply.
const {Bot, webhookCallback} = load("grammy")
const botInfo = {id: 999, is_bot: true, first_name: "bot", username: "bench_bot"}
const bot = new Bot("999:token", {botInfo, client: {apiRoot: PLATFORM}})
for (const name of commands) bot.command(name, async context => context.reply(await answer(context.match)))

const secretToken = "of-the-bench"
if (process.versions.bun === undefined) {
  createServer(webhookCallback(bot, "http", {secretToken})).listen(Number(PORT), "127.0.0.1")
} else {
  const fetch = webhookCallback(bot, "bun", {secretToken})
  Bun.serve({hostname: "127.0.0.1", port: Number(PORT), fetch})
}

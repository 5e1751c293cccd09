import type {DatedIncoming, Endpoint, Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./api/account.ts"
import {apiSignal, askSelf, type Bot, createBot} from "./api/bot.ts"
import {acting} from "./api/failures.ts"
import {Places} from "./api/place.ts"
import {Intake} from "./incoming/intake.ts"
import {download, edit, open, react, remove, setCommands, unreact} from "./outgoing/acts.ts"
import {callBotApi} from "./outgoing/bot-api.ts"
import {callMethod} from "./outgoing/members.ts"
import {createSend} from "./outgoing/send.ts"
import {poll} from "./poll.ts"
import {receiveUpdate, setWebhook} from "./webhook.ts"

/** An open account: its acts, and the handler of its webhook. */
export interface Opened extends Sender {
  takeUpdate(request: Request): Promise<Response>
}

/** Asks for the bot's user, and starts to poll or sets the webhook. Throws a refusal if Telegram rejects the token. */
export const connect = (account: AccountSettings, endpoint: Endpoint<DatedIncoming>): Promise<Opened> =>
  acting(async () => {
    const bot = await createBot(account, endpoint)
    const me = await askSelf(bot, endpoint.signal)
    const user = {id: String(me.id), name: me.username, nick: me.first_name, is_bot: true}
    endpoint.login({platform: "telegram", user, status: 1})
    const places = new Places()
    const intake = new Intake(bot, endpoint, places, me)
    if (account.webhook === undefined) {
      await endWebhook(bot, endpoint)
      void poll(bot, endpoint, me.id, intake)
    } else await setWebhook(bot, account, account.webhook, endpoint.signal)
    return {
      ...createSender(bot, endpoint, places),
      takeUpdate: request => receiveUpdate(request, account, intake),
    }
  })

/** Telegram rejects polls while a webhook is set. */
const endWebhook = async ({api}: Bot, {signal, log}: Endpoint<DatedIncoming>): Promise<void> => {
  const {url = ""} = await api.getWebhookInfo(apiSignal(signal))
  if (url === "") return
  log.warn("removed the bot's webhook, because this endpoint polls")
  await api.deleteWebhook({}, apiSignal(signal))
}

const createSender = (bot: Bot, endpoint: Endpoint<DatedIncoming>, places: Places): Sender => {
  const send = createSend(bot, endpoint)
  return {
    send: (message, signal) => acting(() => places.in(message.channel, place => send(message, place, signal))),
    edit: (change, signal) =>
      acting(() => places.in(change.channel, place => edit(bot, endpoint, change, place, signal))),
    delete: ({channel, message}, signal) =>
      acting(() => places.in(channel, place => remove(bot, message, place, signal))),
    react: (reaction, signal) =>
      acting(() => places.in(reaction.channel, place => react(bot, reaction, place, signal))),
    unreact: (reaction, signal) =>
      acting(() => places.in(reaction.channel, place => unreact(bot, reaction, place, signal))),
    typing: (channel, signal) =>
      acting(() =>
        places.in(channel, async place => {
          await bot.api.sendChatAction({...place, action: "typing"}, apiSignal(signal))
        }),
      ),
    open: (user, signal) => acting(() => open(bot, user, signal)),
    channelOf: (sent, press) => places.channelOf(sent, press),
    download: (file, signal) => acting(() => download(bot, file, signal)),
    commands: (commands, signal) => acting(() => setCommands(bot, commands, signal)),
    call: (method, params, signal) =>
      acting(() => {
        const [name, own] = method.split("/")
        return own === undefined
          ? callMethod(bot, places, String(name), params, signal)
          : callBotApi(bot, places, own, params, signal)
      }),
  }
}

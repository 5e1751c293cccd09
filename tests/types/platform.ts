import type {Api} from "grammy"
import {definePlugin, type PlatformMethods} from "svc-runtime"

declare module "svc-runtime" {
  interface PlatformMethods {
    readonly "shop/refund": {readonly order: string}
  }
}

type TelegramName = keyof PlatformMethods extends infer M ? (M extends `telegram/${infer N}` ? N : never) : never

/** Compiles only if grammy has each listed method. */
export const known = (name: TelegramName): keyof Api["raw"] => name

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  platform: true,
  raw: true,
  setup(plugin) {
    plugin.on("message-created", async session => {
      const {endpoint} = session
      await session.call("telegram/pinChatMessage", {chat_id: 1, message_id: "2", disable_notification: true})
      await session.call({endpoint: "discord"}, "discord/createThread", {channel_id: "1", name: "t"}, {important: true})
      await session.call("shop/refund", {order: "1"})
      await session.call("other/method", {a: 1})
      await session.call("guild.member.mute", {user_id: "1"})
      const held: string = session.text
      await session.call(held, {a: 1})
      await plugin.callNow(endpoint, "telegram/createForumTopic", {chat_id: 1, name: "x"})
      await plugin.ask(endpoint, "slack/pins.list", {channel: "C"})
      await plugin.ask(endpoint, "onebot/get_status")
      // @ts-expect-error: a misspelt method of one of svc's platforms
      await session.call("telegram/pinChatMesage", {chat_id: 1, message_id: "2"})
      // @ts-expect-error: a parameter is missing
      await session.call("telegram/pinChatMessage", {chat_id: 1})
      // @ts-expect-error: a parameter of another type, by the declaration above
      await session.call("shop/refund", {order: 1})
      // @ts-expect-error: the target comes first
      await session.call("guild.member.mute", {}, "discord")
      // @ts-expect-error: an act needs its parameters
      await plugin.callNow(endpoint, "matrix/setTopic")
    })
  },
})

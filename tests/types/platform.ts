import {definePlugin} from "svc-runtime"

declare module "svc-runtime" {
  interface PlatformMethods {
    "shop/refund": {readonly order: string}
  }
}
export default definePlugin({
  platform: true,
  setup(plugin) {
    plugin.on("message-created", async session => {
      await session.call("telegram/pinChatMessage", {chat_id: 1, message_id: "2", disable_notification: true})
      await session.call({endpoint: "x"}, "discord/createThread", {channel_id: "1", name: "t"})
      await session.call("shop/refund", {order: "1"})
      await session.call("other/thing", {a: 1})
      await session.call("guild.member.mute", {a: 1})
      const held: string = session.text
      await session.call(held, {a: 1})
      // @ts-expect-error
      await session.call("telegram/pinChatMesage", {chat_id: 1, message_id: "2"})
      // @ts-expect-error
      await session.call("telegram/pinChatMessage", {chat_id: 1})
      // @ts-expect-error
      await session.call("shop/refund", {order: 1})
      await plugin.callNow(session.endpoint, "telegram/createForumTopic", {chat_id: 1, name: "x"})
      await plugin.ask(session.endpoint, "slack/pins.list", {channel: "C"})
      await plugin.ask(session.endpoint, "onebot/get_status")
    })
  },
})

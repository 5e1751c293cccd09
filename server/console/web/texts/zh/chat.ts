import type {Part} from "../en/en.ts"

export const chat: Part<"chat"> = {
  title: "与机器人对话",
  missing: "此项目没有沙盒。请在 svc.config.yml 的 plugins 下添加 sandbox: {}，然后重新加载。",
  empty: "本次运行中还没有消息。此页面上的消息只留在 Host 内。",
  say: "给机器人的消息",
  send: "发送",
  from: {bot: "机器人", user: "我"},
  failed: "处理器失败：",
  refused: "Host 拒绝了这条消息：",
  fate: "经过",
  commands: "机器人的命令",
  take: name => `/${name}：插入到消息中`,
}

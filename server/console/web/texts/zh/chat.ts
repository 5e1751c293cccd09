import type {Part} from "../types.ts"

export const chat: Part<"chat"> = {
  title: "与机器人对话",
  missing: "此项目没有沙盒：请在 svc.config.yml 的 plugins 下添加 sandbox: {}，然后重新加载。",
  empty: "本次运行中还没有对话。在这里说的内容只留在 Host 内。",
  say: "对机器人说点什么",
  send: "发送",
  from: {bot: "机器人", user: "我"},
  failed: "机器人处理失败：",
  refused: "Host 没有接受：",
  fate: "后续情况",
  commands: "它认识的命令",
  take: name => `/${name}：放入消息中`,
}

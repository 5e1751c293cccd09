import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const config: Part<"config"> = {
  editor: file => `${file} 的文本`,
  about: "文件的原文：变量保持为 ${NAME}。在应用之前不会写入任何内容。",
  keys: "Ctrl-空格补全，Ctrl-Z 撤销，F8 转到下一个问题，Ctrl-[ 和 Ctrl-] 调整缩进。Tab 离开编辑器。",
  checking: "正在检查",
  noFindings: "没有问题。",
  findings: count => counted(count, {other: "# 个问题"}),
  findingAt: (line, column) => `${line}:${column}`,
  compare: "与文件比较",
  diff: "将发生的更改",
  same: "不会有任何更改。",
  restarts: what => `这需要重启 Host：${what}。`,
  unpins: generation => `世代 ${generation} 已固定；应用会结束固定。`,
  unready: "此后未就绪：",
  apply: "应用",
  applyRestart: "应用并重启",
  applySays: ["Host 会先以草稿试用，再写入文件，并作为新的世代生效。", "如果草稿失败，文件保持不变。"],
  applied: generation => `已应用：世代 ${generation} 正在运行。`,
  restarting: "文件已写入，Host 正在重启。",
  byHand: why => `Host 无法替换该文件：${why}。请手动应用差异，例如使用 patch。`,
  changed: "打开之后，文件已被更改。您的文本会保留。",
  keepMine: "将我的文本与新文件比较",
  takeTheirs: "丢弃我的文本并加载新文件",
  discard: "丢弃我的更改",
  restored: "您尚未应用的更改已恢复。",
}

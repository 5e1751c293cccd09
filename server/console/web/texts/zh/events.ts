import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

export const events: Part<"events"> = {
  tabs: "事件或日志",
  events: "事件",
  logs: "日志",
  demo: "查看 Host 的日志需要完整令牌。",
  kind: "类别",
  all: "全部",
  search: "包含",
  searchFor: "文本、端点、ID",
  pause: "暂停",
  goOn: "继续",
  resume: missed => `继续（此后 ${counted(missed, {other: "# 个事件"})}）`,
  nothing: "没有匹配的事件。",
  level: "最低级别",
  run: "运行",
  thisRun: "本次运行",
  thisRunKept: (at: string) => `本次运行，自 ${at} 起`,
  earlierRun: (from, to) => `${from} 至 ${to}`,
  noRecords: "没有匹配的记录。",
}

import {npmTool} from "../machine/npm-tool.ts"

/** Stock Koishi with its own Satori adapter. */
export const koishi = npmTool("koishi-4.18.11", [
  "koishi@4.18.11",
  "@satorijs/adapter-satori@1.5.1",
  "@koishijs/plugin-http@0.6.3",
])

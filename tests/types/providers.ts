import {createAnthropic} from "@ai-sdk/anthropic"
import {createGoogle} from "@ai-sdk/google"
import type {MCPClient} from "@ai-sdk/mcp"
import {createOpenAICompatible} from "@ai-sdk/openai-compatible"
import type {McpClient} from "../../server/agents/mcp/package.ts"
import type {LanguageModel} from "../../server/agents/providers/language-model.ts"

/** The packages' models have the type that svc expects: compiled, never run. */
export const models: readonly LanguageModel[] = [
  createAnthropic({apiKey: "key"})("model"),
  createGoogle({apiKey: "key"})("model"),
  createOpenAICompatible({name: "svc", baseURL: "http://127.0.0.1"})("model"),
]

export const mcpClientOf = (client: MCPClient): McpClient => client

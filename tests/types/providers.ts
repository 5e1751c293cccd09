import {createAnthropic} from "@ai-sdk/anthropic"
import {createGoogle} from "@ai-sdk/google"
import type {auth, MCPClient} from "@ai-sdk/mcp"
import {createOpenAICompatible} from "@ai-sdk/openai-compatible"
import type {McpClient, McpPackage} from "../../server/agents/mcp/package.ts"
import type {LanguageModel} from "../../server/agents/providers/language-model.ts"

/** The packages' models have the type that svc expects: compiled, never run. */
export const models: readonly LanguageModel[] = [
  createAnthropic({apiKey: "key"})("model"),
  createGoogle({apiKey: "key"})("model"),
  createOpenAICompatible({name: "svc", baseURL: "http://127.0.0.1"})("model"),
]

export const mcpClientOf = (client: MCPClient): McpClient => client

/** Bun's `fetch` has more than svc needs. */
type Auth = (
  provider: Parameters<typeof auth>[0],
  options: Omit<Parameters<typeof auth>[1], "fetchFn">,
) => ReturnType<typeof auth>
export const authOf = (given: Auth): McpPackage["auth"] => given

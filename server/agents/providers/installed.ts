import {agentProviders} from "../../../shared/agents/config.ts"

/** Is the package of the provider installed where svc finds it? Nothing of it is loaded. */
export const isProviderInstalled = (provider: keyof typeof agentProviders): boolean => {
  try {
    import.meta.resolve(agentProviders[provider])
    return true
  } catch {
    return false
  }
}

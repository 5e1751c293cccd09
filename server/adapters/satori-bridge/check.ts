import {type AdapterFinding, type CheckTools, isRefusal} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {credentialsHint, isUnanswered} from "./failures.ts"
import {askBot} from "./run.ts"
import {loadStock, type Stock} from "./stock.ts"

/** Loads the package, validates its configuration, and asks the platform for the bot's user, without a connection. */
export const check = async (account: AccountSettings, {load, log}: CheckTools): Promise<readonly AdapterFinding[]> => {
  const undos: (() => unknown)[] = []
  try {
    const stock = await loadStock(account, load)
    const found = {what: "package and configuration", ok: true, detail: account.package}
    return [found, await askLogin(stock, {log, defer: undo => void undos.push(undo)})]
  } catch (error) {
    if (!isRefusal(error)) throw error
    const {message: detail, remediation} = error
    return [{what: "package and configuration", ok: false, detail, remediation}]
  } finally {
    for (const undo of undos.reverse()) await undo()
  }
}

const askLogin = async (stock: Stock, tools: Parameters<typeof askBot>[1]): Promise<AdapterFinding> => {
  const what = "credentials"
  const bot = await askBot(stock, tools)
  try {
    await bot.getLogin()
  } catch (error) {
    const detail = stock.veil.reason(error)
    if (isUnanswered(error)) throw new Error(`could not reach the platform: ${detail}`)
    return {what, ok: false, detail, remediation: credentialsHint(stock.name)}
  }
  if (bot.selfId === undefined)
    return {what, ok: true, detail: "not checked: the adapter can check only once it is connected"}
  return {what, ok: true, detail: stock.veil.text(`${bot.platform} ${bot.user?.name ?? bot.selfId}`)}
}

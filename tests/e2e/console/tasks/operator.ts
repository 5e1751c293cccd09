import type {Locator, Page} from "playwright-core"
import {live} from "../console.ts"

/**
 * Somebody who looks after a bot by its console alone: what can be seen on the page is what is used. Each click, each choice
 * of a list and each text that is written into a field is a step.
 */
export class Operator {
  steps = 0
  readonly page: Page
  readonly #isPhone: boolean

  constructor(page: Page, isPhone: boolean) {
    this.page = page
    this.#isPhone = isPhone
  }

  /** Comes to the console anew, as a bookmark does: at the overview, and with no step taken. */
  async begin(): Promise<void> {
    await this.page.goto(`${this.page.url().replace(/#.*/, "")}#/`)
    await this.page.reload()
    await live(this.page)
    this.steps = 0
  }

  async click(target: Locator): Promise<void> {
    this.steps++
    await (this.#isPhone ? target.tap() : target.click())
  }

  async write(field: Locator, text: string): Promise<void> {
    this.steps++
    await field.fill(text)
  }

  /** Writes what a list is searched for. */
  async search(field: Locator, text: string): Promise<void> {
    await this.write(field, text)
    await field.press("Enter")
  }

  async choose(list: Locator, option: string | {readonly index: number}): Promise<void> {
    this.steps++
    await list.selectOption(option)
  }

  /** A page, by the menu: on a phone that is opened first. */
  async goTo(page: string): Promise<void> {
    const menu = this.page.getByRole("button", {name: "Pages", exact: true})
    if (await menu.isVisible()) await this.click(menu)
    await this.click(this.page.getByRole("navigation", {name: "Pages"}).getByRole("link", {name: page, exact: true}))
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole("main").getByRole("link", {name, exact: true}))
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole("main").getByRole("button", {name, exact: true}))
  }

  /** What the console asks before it does something. */
  get question(): Locator {
    return this.page.getByRole("alertdialog")
  }

  confirm(name: string): Promise<void> {
    return this.click(this.question.getByRole("button", {name, exact: true}))
  }

  /** Waits until the page shows this text. */
  async reads(text: string | RegExp, within: Locator = this.page.getByRole("main")): Promise<void> {
    await within.getByText(text).first().waitFor()
  }

  /** Waits until a notice says that this was done, with its event. */
  async isTold(title: string, event?: string): Promise<void> {
    const notice = this.page.locator('[data-notice="done"]', {hasText: title})
    await (event === undefined ? notice : notice.locator(`[data-notice-event="${event}"]`)).first().waitFor()
  }
}

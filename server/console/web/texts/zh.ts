import {readCatalogue} from "./catalogue.ts"
import * as pages from "./zh/pages.ts"

/**
 * Simplified Chinese, with full-width punctuation, and a space between Chinese and Latin letters or digits.
 *
 * These stay as they are: Host, Journal, Authority, files, keys of the configuration.
 * endpoint: 端点. plugin: 插件. handler: 处理器. inbox: 收件箱. outbox: 发件箱. event: 事件. ingress: 入口. retry: 重试. release (a held
 * item): 放行. discard: 丢弃. held: 已搁置. dead: 已放弃. readiness: 就绪状态. generation: 世代. commit (a generation): 生效. pin: 固定.
 * roll back: 回滚. checkpoint: 检查点. job: 作业. timer: 定时器. run: 运行. work item: 工作项. agent: 智能体. approval: 审批.
 */
export const zh = readCatalogue(pages, "zh-CN")

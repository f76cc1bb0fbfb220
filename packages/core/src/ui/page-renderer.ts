import type { PageRenderer } from '../http/page-renderer.ts'
import type { Layout } from './layout.ts'

/** Creates the renderer of a service's pages. The code that renders pages loads with the first page. */
export function createPageRenderer(layout: Layout): PageRenderer {
  return {
    async check() {
      await (await layout.languages()).check()
    },
    finish: async (page, acceptLanguage) => (await import('./layout.ts')).finishPage(page, acceptLanguage, layout),
    showFailure: async (reply, request) => (await import('./failure-page.ts')).failurePage(reply, layout, request),
  }
}

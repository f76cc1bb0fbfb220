// Written by `npm run migrations`: do not edit.
import type { Migration } from './migration.ts'

export const generatedMigrations: readonly Migration[] = [
  {
    id: '0024-trace_title',
    sql: ['ALTER TABLE `traces` ADD `title` text'],
  },
  {
    id: '0025-daily_counts',
    sql: [
      'CREATE TABLE `daily_counts` (\n\t`day` integer NOT NULL,\n\t`name` text NOT NULL,\n\t`count` integer NOT NULL,\n\tPRIMARY KEY(`day`, `name`)\n)',
      'CREATE INDEX `reports_status` ON `reports` (`status`) WHERE duplicate_of is null',
    ],
  },
  {
    id: '0026-order_events',
    sql: [
      'ALTER TABLE `outbox` ADD `order_key` text',
      'CREATE INDEX `outbox_order` ON `outbox` (`channel`,`recipient`,`order_key`) WHERE order_key is not null and finished_at is null',
    ],
  },
]

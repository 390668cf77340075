-- The W3C trace context of the span in which a task was added, so that its runs and deliveries continue the trace.
alter table taskboard.task add column traceparent text;

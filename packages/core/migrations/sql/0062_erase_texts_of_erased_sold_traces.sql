UPDATE `traces` SET `model` = NULL, `hash` = x'', `details` = '{}', `replacements` = '{}' WHERE `owner` IS NULL;

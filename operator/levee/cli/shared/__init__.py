"""What every command needs: files, flags, numbers as people write them, the ways to end, the sheet to print on."""
